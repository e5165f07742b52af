"""Metropolis' rule, step sizes that adapt to a wanted acceptance, and proposals without
a gradient, noisy ones too.
"""

from abc import abstractmethod
from functools import partial
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..state import Array, EnergyFunction, State, evaluate
from ..streams import Streams

GAIN = 0.5  # of the stochastic approximation: log(step) += GAIN * (accepted - wanted)
WIDEST = 2.0  # step of a stretch or an angle


def allowed_rise(rng: Streams, temperature: Array, shape: tuple[int, ...]) -> Array:
    """The largest rise in energy that each trial may make.

    A rise is accepted when u < exp(-rise / T), u uniform; that is when rise <= -T
    log(u), and -log(u) is exponentially distributed. At T = 0 nothing may rise: a
    quench is no special case.
    """
    T = np.asarray(temperature, dtype=np.float64)
    return T.reshape(T.shape + (1,) * (len(shape) - T.ndim)) * rng.standard_exponential(
        shape
    )


def accept(
    rng: Streams, temperature: Array, rise: Array, log_ratio: Array | float = 0.0
) -> NDArray[np.bool_]:
    """Which proposals to keep.

    ``log_ratio`` is Hastings' log q(A | B) - log q(B | A), plus the log Jacobian of a
    deterministic proposal.
    """
    return rise <= allowed_rise(rng, temperature, rise.shape) + temperature * log_ratio


class Move(BaseEstimator):
    """One Monte Carlo step: propose and accept, for all replicas, each with random
    numbers of its own.

    Subclasses have ``step_size`` and ``target_acceptance`` (None: step sizes stay as
    they are).
    """

    step_size: float
    target_acceptance: float | None
    gain = GAIN

    def start(
        self, rng: Streams, energy: EnergyFunction, state: State, temperature: Array
    ) -> Array:
        """First step sizes; their shape begins with R."""
        return np.full(len(state.A), float(self.step_size))

    @abstractmethod
    def step(
        self,
        rng: Streams,
        energy: EnergyFunction,
        state: State,
        temperature: Array,
        scale: Array,
    ) -> tuple[State, Array]:
        """New state, and the share of accepted trials in the shape of ``scale`` (NaN:
        not tried).
        """

    def adapt(self, scale: Array, accepted: Array) -> Array:
        """Step sizes nearer to the wanted acceptance. The sampler decides when to stop
        adapting.
        """
        if self.target_acceptance is None:
            return scale
        return scale * np.exp(
            self.gain * np.nan_to_num(accepted - self.target_acceptance)
        )


def count_trials(n_moves: int | str, energy: EnergyFunction, A: Array) -> int:
    """Trials of a Monte Carlo step: a number, one per matrix element, or one per sample
    of the data.
    """
    if n_moves == "elements":
        return A[0].size
    if n_moves == "samples":
        n_samples = getattr(energy, "n_samples", None)
        if n_samples is None:
            raise ValueError(
                "n_moves='samples' needs an energy with the attribute n_samples."
            )
        return n_samples
    if isinstance(n_moves, Integral) and n_moves > 0:
        return int(n_moves)
    raise ValueError(
        f"n_moves must be 'elements', 'samples' or a positive integer; got {n_moves!r}."
    )


class ProposalMove(Move):
    """A Monte Carlo step of ``n_moves`` whole-matrix proposals of a subclass."""

    n_moves: int | str

    def propose(
        self, rng: Streams, A: Array, scale: Array
    ) -> tuple[Array, Array | float]:
        """Proposed maps (R, p, d) and the log of Hastings' ratio, (R,) or 0."""
        raise NotImplementedError

    def step(self, rng, energy, state, temperature, scale):
        A = state.A.copy()
        values = state.energy.copy()
        n = count_trials(self.n_moves, energy, A)
        accepted = np.zeros(len(A))
        for _ in range(n):
            B, log_ratio = self.propose(rng, A, scale)
            trial = evaluate(energy, B)
            ok = accept(rng, temperature, trial - values, log_ratio)
            A[ok], values[ok] = B[ok], trial[ok]
            accepted += ok
        return State(A, values), accepted / n


class MatrixMove(ProposalMove):
    """Displace every element of A by step * U(-1, 1).

    Parameters
    ----------
    step_size : float, default=1.0
        Largest first displacement.
    n_moves : int, "elements" or "samples", default=1
        Trials per Monte Carlo step.
    target_acceptance : float or None, default=0.3
        The step adapts towards this acceptance during burn-in. None keeps
        ``step_size``.
    """

    def __init__(self, step_size=1.0, *, n_moves=1, target_acceptance=0.3):
        self.step_size = step_size
        self.n_moves = n_moves
        self.target_acceptance = target_acceptance

    def propose(
        self, rng: Streams, A: Array, scale: Array
    ) -> tuple[Array, Array | float]:
        return A + scale[:, None, None] * rng.uniform(-1, 1, A.shape), 0.0


class StretchRotateMove(ProposalMove):
    """Multiply two random columns (a, b) of A by a random stretch and rotation G, B[:,
    ab] = A[:, ab] G.

    G is R(theta) diag(t_a, t_b) or, as often, diag(t_a, t_b) R(theta), with theta and
    log t normal around zero: G and its inverse are then equally likely, and Hastings'
    ratio is the Jacobian (t_a t_b)^p alone. G has full rank, so a map keeps its rank:
    mix in an element move where that matters.

    Parameters
    ----------
    step_size : float, default=0.3
        First standard deviation of the angle and of the logarithm of both stretches.
    n_moves : int, "elements" or "samples", default="elements"
        Trials per Monte Carlo step.
    target_acceptance : float or None, default=0.3
        The step adapts towards this acceptance during burn-in. None keeps
        ``step_size``.
    """

    def __init__(self, step_size=0.3, *, n_moves="elements", target_acceptance=0.3):
        self.step_size = step_size
        self.n_moves = n_moves
        self.target_acceptance = target_acceptance

    def adapt(self, scale, accepted):
        # Beyond this an angle is already uniform and a stretch only overflows.
        return np.minimum(super().adapt(scale, accepted), WIDEST)

    def propose(
        self, rng: Streams, A: Array, scale: Array
    ) -> tuple[Array, Array | float]:
        R, p, d = A.shape
        theta, log_a, log_b = scale * rng.standard_normal((R, 3)).T
        replica = np.arange(R)
        a = rng.integers(d, size=R)
        if d == 1:  # a line cannot be rotated
            return A * np.exp(log_a)[:, None, None], p * log_a
        b = (a + rng.integers(1, d, size=R)) % d
        # (2, 2, R)
        rotation = np.array(
            [[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]]
        )
        stretch = np.exp([log_a, log_b])  # (2, R)
        stretch_last = rng.random(R) < 0.5
        G = np.where(
            stretch_last, rotation * stretch[None, :], stretch[:, None] * rotation
        )
        B = A.copy()
        B[replica, :, a] = (
            A[replica, :, a] * G[0, 0][:, None] + A[replica, :, b] * G[1, 0][:, None]
        )
        B[replica, :, b] = (
            A[replica, :, a] * G[0, 1][:, None] + A[replica, :, b] * G[1, 1][:, None]
        )
        return B, p * (log_a + log_b)


class ElementMove(Move):
    """Displace one random element of A by step * U(-1, 1).

    An energy with ``sweep`` does the whole Monte Carlo step itself; any other callable
    is called once per trial.

    Parameters
    ----------
    step_size : float, default=1.0
        Largest first displacement.
    n_moves : int, "elements" or "samples", default="elements"
        Trials per Monte Carlo step; the paper takes as many as there are samples.
    target_acceptance : float or None, default=0.3
        Every element's step adapts towards this acceptance during burn-in. None keeps
        ``step_size``.
    """

    def __init__(self, step_size=1.0, *, n_moves="elements", target_acceptance=0.3):
        self.step_size = step_size
        self.n_moves = n_moves
        self.target_acceptance = target_acceptance

    def start(self, rng, energy, state, temperature):
        return np.full(state.A.shape, float(self.step_size))

    def propose(
        self, rng: Streams, A: Array, scale: Array
    ) -> tuple[Array, Array | float]:
        """One trial as a proposal, with the step sizes (R,) or (R, p, d), and the log
        of Hastings' ratio, 0.
        """
        R, p, d = A.shape
        at = np.arange(R), rng.integers(p, size=R), rng.integers(d, size=R)
        B = A.copy()
        B[at] += (scale[at] if scale.ndim == 3 else scale) * rng.uniform(-1, 1, R)
        return B, 0.0

    def step(self, rng, energy, state, temperature, scale):
        R, p, d = state.A.shape
        n = count_trials(self.n_moves, energy, state.A)
        rows, columns = rng.integers(p, size=(R, n)), rng.integers(d, size=(R, n))
        replica = np.arange(R)[:, None]
        deltas = scale[replica, rows, columns] * rng.uniform(-1, 1, (R, n))
        allowed = allowed_rise(rng, temperature, (R, n))
        run = getattr(energy, "sweep", partial(_trial_by_trial, energy, state.energy))
        A, values, accepted = run(state.A, rows, columns, deltas, allowed)
        tried, kept = np.zeros(scale.shape), np.zeros(scale.shape)
        np.add.at(tried, (replica, rows, columns), 1)
        np.add.at(kept, (replica, rows, columns), accepted)
        with np.errstate(invalid="ignore"):
            return State(A, values), kept / tried


def _trial_by_trial(energy, values, A, rows, columns, deltas, allowed):
    """The sweep of an energy that can only be called."""
    A, values, accepted = A.copy(), values.copy(), np.zeros(rows.shape, dtype=bool)
    for t in range(rows.shape[1]):
        B = A.copy()
        B[np.arange(len(A)), rows[:, t], columns[:, t]] += deltas[:, t]
        trial = evaluate(energy, B)
        accepted[:, t] = ok = trial - values <= allowed[:, t]
        A[ok], values[ok] = B[ok], trial[ok]
    return A, values, accepted


class PenaltyMove(Move):
    """Proposals of another move, accepted by differences of energy on mini-batches.

    A trial is evaluated on n batches, before and after on the same ones, which gives
    the mean rise D with the variance estimate chi^2 T^2. Metropolis' rule is applied to
    the rise D + T u with the penalty

    u = chi^2 / 2 + chi^4 / (4 (n + 1)) + chi^6 / (3 (n + 1) (n + 3)),

    which keeps detailed balance on average: exactly for normal noise of known variance,
    where u = chi^2 / 2, and nearly for an estimate while chi^2 is below n / 4. Without
    batches it is Metropolis' rule. Costs 2 n energies of batches per trial, and one
    energy per Monte Carlo step.

    Parameters
    ----------
    move : ProposalMove or ElementMove or None, default=None
        How to propose; None is ``MatrixMove()``. Its parameters count, but for the
        adaptation of single elements: all elements of a replica have one step size
        here.
    n_batches : int, default=8
        n, at least 3.

    References
    ----------
    D. M. Ceperley, M. Dewing, The penalty method for random walks with uncertain
    energies, Journal of Chemical Physics 110, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from freemetric.energies import MiniBatch, NCAEnergy
    >>> from freemetric.mc import Annealing, Constant, ElementMove, PenaltyMove
    >>> energy = MiniBatch(NCAEnergy(), 50).bind(*load_iris(return_X_y=True))
    >>> sampler = Annealing(Constant(1e-2), PenaltyMove(ElementMove(0.5)), n_steps=10)
    >>> start = np.eye(4)[None]
    >>> for state, info in sampler.iterate(np.random.default_rng(0), energy, start):
    ...     pass
    >>> state.A.shape
    (1, 4, 4)
    """

    def __init__(self, move=None, *, n_batches=8):
        self.move = move
        self.n_batches = n_batches

    @property
    def _move(self):
        return MatrixMove() if self.move is None else self.move

    def start(self, rng, energy, state, temperature):
        if not hasattr(self._move, "propose"):
            raise TypeError(
                "PenaltyMove needs a move that proposes, such as MatrixMove; "
                f"got {self.move!r}."
            )
        if not self.n_batches >= 3:
            raise ValueError(
                "n_batches must be at least 3, to estimate the variance; "
                f"got {self.n_batches}."
            )
        return np.full(len(state.A), float(self._move.step_size))

    def step(self, rng, energy, state, temperature, scale):
        if not (temperature > 0).all():
            raise ValueError(
                "The penalty of noise is infinite at temperature 0; "
                "use a positive temperature."
            )
        A = state.A.copy()
        accepted = np.zeros(len(state.A))
        n = count_trials(self._move.n_moves, energy, A)
        for _ in range(n):
            B, log_ratio = self._move.propose(rng, A, scale)
            rise, variance = self._rise(rng, energy, A, B)
            rise = rise + temperature * penalty(
                variance / temperature**2, self.n_batches
            )
            ok = accept(rng, temperature, rise, log_ratio)
            A[ok] = B[ok]
            accepted += ok
        return State(A, evaluate(energy, A)), accepted / n

    def adapt(self, scale, accepted):
        return self._move.adapt(scale, accepted)

    def _rise(self, rng, energy, A, B):
        """The mean rise of the energy from A to B, and the variance of that mean."""
        if not hasattr(energy, "draw"):
            return evaluate(energy, B) - evaluate(energy, A), np.zeros(len(A))
        batches = (energy.draw(rng) for _ in range(self.n_batches))
        rises = np.array([evaluate(batch, B) - evaluate(batch, A) for batch in batches])
        return rises.mean(axis=0), rises.var(axis=0, ddof=1) / len(rises)


def penalty(chi2: Array, n: int) -> Array:
    """What Metropolis' rule must add to a rise in units of T whose variance was
    estimated as chi2 from n values.
    """
    return chi2 / 2 + chi2**2 / (4 * (n + 1)) + chi2**3 / (3 * (n + 1) * (n + 3))
