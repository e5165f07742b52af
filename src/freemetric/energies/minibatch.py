"""An energy of many samples, evaluated on a few of them at a time."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .base import Array, BoundEnergy, Energy, bind, is_regression, names_rows


class MiniBatch(Energy):
    """The mean of an energy over random batches of samples, at a cost that does not
    depend on how many there are.

    A batch is drawn by class, without repetition, with at least two samples of every
    class; in regression from all samples. All pairs of a batch count. The bound energy
    has ``draw(rng)``, the energy of new batches, one for every replica: an unbiased
    estimate of E and of its gradient. Called as a function it is the energy of one
    fixed batch of ``sample_size`` samples. Memory-mapped and float32 data are not
    copied.

    E is not the energy of all samples together: in a batch of n, NCA's softmax is over
    n - 1 references, and its best map is wider accordingly. Larger batches come nearer,
    in O(n^2) time.

    Parameters
    ----------
    energy : Energy
        The energy of a batch.
    batch_size : int, default=1024
        Samples of a batch.
    sample_size : int, default=4096
        Samples of the fixed batch.
    random_state : int, RandomState or None, default=0
        Seed of the fixed batch.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import MiniBatch, NCAEnergy
    >>> from freemetric.mc import Streams
    >>> energy = MiniBatch(NCAEnergy(), 60).bind(*load_iris(return_X_y=True))
    >>> A, streams = np.eye(4)[None], Streams.of(np.random.default_rng(0), 1)
    >>> energy(A).round(3)  # all 150 samples, fewer than sample_size
    array([0.162])
    >>> draws = [energy.draw(streams)(A)[0] for _ in range(200)]
    >>> bool(0.16 < np.mean(draws) < 0.17)
    True
    """

    def __init__(self, energy, batch_size=1024, *, sample_size=4096, random_state=0):
        self.energy = energy
        self.batch_size = batch_size
        self.sample_size = sample_size
        self.random_state = random_state

    def bind(self, X, y, *, sample_weight=None, device="cpu", unit: float = 1.0):
        """The energy as a function of A alone; batches of X are divided by ``unit``, X
        itself is not copied.
        """
        for name in ("batch_size", "sample_size"):
            if not getattr(self, name) >= 2:
                raise ValueError(
                    f"{name} must be at least 2; got {getattr(self, name)}."
                )
        if names_rows(self.energy):
            raise ValueError(
                "The energy names rows of X by their numbers, "
                "and batches have rows of their own."
            )
        seed = check_random_state(self.random_state).randint(2**32, dtype=np.uint32)
        batches = Batches(X, y, sample_weight, unit, is_regression(self.energy))
        sample = batches.alone(np.random.default_rng(seed), self.sample_size)
        return BoundMiniBatch(self.energy, batches, self.batch_size, sample, device)


class Batches:
    """Rows of data (N, d) in some unit, drawn by class, or from all of them in
    regression.
    """

    def __init__(
        self,
        X: NDArray,
        y: NDArray,
        weights: NDArray | None = None,
        unit: float = 1.0,
        is_regression: bool = False,
    ) -> None:
        self.X = X
        self.y = np.asarray(y)
        self.weights = weights
        self.unit = unit
        self.is_regression = is_regression
        if is_regression:
            self.y = self.y.reshape(len(self.y), -1)
            self.classes = [np.arange(len(self.y))]
        else:
            order = np.argsort(self.y, kind="stable")
            self.classes = np.split(order, np.flatnonzero(np.diff(self.y[order])) + 1)

    def counts(self, n: int) -> list[int]:
        """Samples of every class in a batch of about n: proportional, at least two
        where there are as many.
        """
        sizes = np.array([len(rows) for rows in self.classes])
        wanted = sizes * (min(n, len(self.y)) / len(self.y))
        counts = np.floor(wanted).astype(int)
        most = np.argsort(counts - wanted, kind="stable")
        counts[most[: min(n, len(self.y)) - counts.sum()]] += 1  # largest remainders
        return np.minimum(sizes, np.maximum(counts, 2)).tolist()

    def alone(self, rng: np.random.Generator, n: int) -> NDArray[np.intp]:
        """Rows (n,) of one batch, class by class."""

        def choose(size, k):
            return rng.choice(size, k, replace=False, shuffle=False)

        return self._rows(n, choose)

    def for_replicas(self, rng: Any, n: int) -> NDArray[np.intp]:
        """Rows (R, n) of as many batches as there are streams, class by class."""
        return self._rows(n, lambda size, k: rng.choice(size, size=(len(rng), k)))

    def targets(self, rows: NDArray[np.intp]) -> NDArray:
        """y of rows (n,) or (R, n): the same classes for all replicas, but targets of
        regression (R, n, m) for each.
        """
        if self.is_regression:
            return self.y[rows]
        return self.y[rows.reshape(-1, rows.shape[-1])[0]]

    def _rows(self, n: int, choose: Callable[[int, int], NDArray]) -> NDArray[np.intp]:
        parts: Sequence[NDArray] = [
            rows[choose(len(rows), k)]
            for rows, k in zip(self.classes, self.counts(n), strict=True)
        ]
        return np.concatenate(parts, axis=-1)


class BoundMiniBatch:
    def __init__(
        self,
        energy: Energy,
        batches: Batches,
        batch_size: int,
        sample: NDArray[np.intp],
        device: str,
    ) -> None:
        self.energy = energy
        self.batches = batches
        self.batch_size = batch_size
        self.device = device
        self.sample = sample
        self.fixed = cast(Any, self.of(sample))  # the energy of the one sample

    def of(self, rows: NDArray[np.intp]) -> BoundEnergy:
        """The energy of rows (n,), or of rows (R, n) with as many for each replica,
        class by class.
        """
        data = self.batches
        weights = None if data.weights is None else data.weights[rows]
        return bind(
            self.energy,
            data.X[rows] / data.unit,
            data.targets(rows),
            weights,
            self.device,
        )

    def draw(self, rng: Any) -> BoundEnergy:
        rows = self.batches.for_replicas(rng, self.batch_size)
        return self.of(rows)

    def __call__(self, A: Array) -> Array:
        return self.fixed(A)

    def __getattr__(self, name: str) -> Any:
        # Those of the fixed batch, if it has them.
        if name in ("n_samples", "value_and_grad", "sweep"):
            return getattr(self.fixed, name)
        raise AttributeError(name)
