"""Random numbers for a stack of replicas: every replica has a stream of its own."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Size = int | tuple[int, ...]
# numpy does not check where in its buffer a generator stands.
LAST_POSITION = {"MT19937": 624, "Philox": 4}


class Streams:
    """R generators that answer as one: row r of every array comes from generator r.

    What a replica draws does not depend on which others run beside it. The methods are
    those of ``numpy.random.Generator`` that moves need; the first axis of every
    ``size`` is R.

    Parameters
    ----------
    generators : sequence of numpy.random.Generator
        One for each replica.

    Examples
    --------
    >>> import numpy as np
    >>> both = Streams.from_seeds(np.random.SeedSequence(0).spawn(2))
    >>> second = Streams.from_seeds(np.random.SeedSequence(0).spawn(2)[1:])
    >>> bool(both.random(2)[1] == second.random(1)[0])
    True
    """

    def __init__(self, generators: Sequence[np.random.Generator]):
        self.generators = list(generators)

    @classmethod
    def from_seeds(cls, seeds: Sequence[np.random.SeedSequence]) -> "Streams":
        """One stream for each seed."""
        return cls([np.random.Generator(np.random.PCG64(seed)) for seed in seeds])

    @classmethod
    def of(cls, rng: "np.random.Generator | Streams", n_replicas: int) -> "Streams":
        """Streams as they are, or as many as there are replicas, of one generator."""
        streams = (
            cls(rng.spawn(n_replicas)) if isinstance(rng, np.random.Generator) else rng
        )
        if len(streams) != n_replicas:
            raise ValueError(
                "There must be as many random streams as replicas, "
                f"{n_replicas}; got {len(streams)}."
            )
        return streams

    def __len__(self) -> int:
        return len(self.generators)

    def random(self, size: Size) -> NDArray:
        return self._rows(size, lambda generator, shape: generator.random(shape))

    def uniform(self, low: float, high: float, size: Size) -> NDArray:
        return self._rows(
            size, lambda generator, shape: generator.uniform(low, high, shape)
        )

    def standard_normal(self, size: Size) -> NDArray:
        return self._rows(
            size, lambda generator, shape: generator.standard_normal(shape)
        )

    def standard_exponential(self, size: Size) -> NDArray:
        return self._rows(
            size, lambda generator, shape: generator.standard_exponential(shape)
        )

    def integers(self, low: int, high: int | None = None, *, size: Size) -> NDArray:
        return self._rows(
            size, lambda generator, shape: generator.integers(low, high, shape)
        )

    def choice(self, n: int, *, size: Size) -> NDArray:
        """Numbers below n, none of them twice in a row of the result."""
        return self._rows(
            size,
            lambda generator, shape: generator.choice(
                n, shape, replace=False, shuffle=False
            ),
        )

    def _rows(
        self, size: Size, draw: Callable[[np.random.Generator, tuple[int, ...]], Any]
    ) -> NDArray:
        first, *rest = (size,) if isinstance(size, int | np.integer) else size
        if first != len(self):
            raise ValueError(
                f"The first axis is that of the {len(self)} replicas; got size {size}."
            )
        return np.array([draw(generator, tuple(rest)) for generator in self.generators])

    def copy(self) -> "Streams":
        """Streams that go on from here by themselves."""
        return type(self).from_state(self.to_state())

    def to_state(self) -> list[Any]:
        """Where every stream is, in plain numbers."""
        return [generator.bit_generator.state for generator in self.generators]

    @classmethod
    def from_state(cls, state: Sequence[Any]) -> "Streams":
        """Streams that go on from there; ValueError where there is no such state."""
        return cls([np.random.Generator(_bit_generator(one)) for one in state])


def _bit_generator(state: Any) -> np.random.BitGenerator:
    kind = state["bit_generator"]
    if kind not in ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937"):
        raise ValueError(f"a random stream of the unknown kind {kind!r}")
    made = getattr(np.random, kind)(0)
    made.state = state
    now = made.state
    at = now["state"].get("pos", now.get("buffer_pos", 0))
    if not 0 <= at <= LAST_POSITION.get(kind, 0):
        raise ValueError(f"a random stream of {kind} at an impossible position")
    return made
