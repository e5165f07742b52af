"""The landscape between metrics: how alike two are, and how high the pass between them
is.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import orthogonal_procrustes

from ..mc.state import Array

LONGEST_STEP = 0.2  # of an image, in distances between neighbouring images
# The constants of Bitzek et al. (2006) for their "fast inertial relaxation engine".
FEWEST_DOWNHILL, FASTER, SLOWER, MIXED, LESS_MIXED = 5, 1.1, 0.5, 0.1, 0.99


def overlap(A: Array, B: Array) -> Array:
    r"""Overlap of the metrics of two maps, :math:`q = \langle M_A, M_B \rangle / (|M_A|
    |M_B|)` with M = A^T A.

    It is 1 for equal metrics up to a factor, 0 for metrics of different features, and
    does not see rotations of the learned space. Costs O(p^2 d) a pair, without making
    M.

    Parameters
    ----------
    A, B : ndarray of shape (..., p, d)
        Maps; leading dimensions are broadcast.

    Returns
    -------
    q : ndarray of shape (...)
        In [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.thermodynamics import overlap
    >>> maps = np.array([[[1.0, 0.0]], [[3.0, 0.0]], [[1.0, 1.0]]])
    >>> overlap(maps[:, None], maps).round(2)
    array([[1. , 1. , 0.5],
           [1. , 1. , 0.5],
           [0.5, 0.5, 1. ]])
    """
    A, B = np.asarray(A), np.asarray(B)
    size = np.sqrt(_product(A, A) * _product(B, B))
    return _product(A, B) / np.where(
        size > 0, size, 1.0
    )  # no metric at all is like no other


def _product(A, B):
    """<M_A, M_B> = |A B^T|^2."""
    return ((A @ np.swapaxes(B, -1, -2)) ** 2).sum(axis=(-2, -1))


class Band(NamedTuple):
    """A path of maps between two, each image at the lowest energy beside the path.

    Parameters
    ----------
    maps : ndarray of shape (n_images + 2, p, d)
        From the first map to the second one, which is rotated to fit.
    energy : ndarray of shape (n_images + 2,)
        Their energies.
    force : float
        Largest force on an image across the path, relative to that on the straight
        line; 0 at the end of the search.
    """

    maps: Array
    energy: Array
    force: float

    @property
    def barrier(self) -> float:
        """Height of the pass above the higher of both ends; 0 where the path only falls
        or rises.
        """
        return float(self.energy.max() - max(self.energy[0], self.energy[-1]))


def elastic_band(
    energy: Any, start: Array, end: Array, n_images: int = 15, n_steps: int = 300
) -> Band:
    """Find the pass between two maps by a nudged elastic band, whose highest image
    climbs to the saddle.

    Images on the way move down the gradient across the path, and springs space them
    evenly along it [1]_. Half way through the search the highest image begins to climb
    [2]_: its force along the path is turned round. ``end`` is rotated to fit ``start``,
    since a rotation of the learned space costs no energy. All images are one call of
    the energy; they move by the inertial relaxation of Bitzek et al. [3]_.

    The height is an upper bound: the path is one of many, and images may stand beside
    the top.

    Parameters
    ----------
    energy : callable
        A bound energy with ``value_and_grad``.
    start, end : ndarray of shape (p, d)
        Minima, which do not move.
    n_images : int, default=15
        Images between them.
    n_steps : int, default=300
        Evaluations of all images.

    Returns
    -------
    band : Band
        The path.

    References
    ----------
    .. [1] G. Henkelman, H. Jónsson, Improved tangent estimate in the nudged elastic
       band method for finding minimum energy paths and saddle points, Journal of
       Chemical Physics 113, 2000.
    .. [2] G. Henkelman, B. P. Uberuaga, H. Jónsson, A climbing image nudged elastic
       band method for finding saddle points and minimum energy paths, Journal of
       Chemical Physics 113, 2000.
    .. [3] E. Bitzek et al., Structural relaxation made simple, Physical Review Letters
       97, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from freemetric.thermodynamics import elastic_band
    >>> class TwoWells:
    ...     def value_and_grad(self, A):
    ...         x, y = A[:, 0, 0], A[:, 0, 1]
    ...         slope = np.stack([4 * x * (x**2 - 1), 2 * (y - 3)], axis=1)
    ...         return (x**2 - 1) ** 2 + (y - 3) ** 2, slope[:, None]
    >>> band = elastic_band(TwoWells(), np.array([[-1.0, 3.0]]), np.array([[1.0, 3.0]]))
    >>> round(band.barrier, 2)
    1.0
    """
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    turn = orthogonal_procrustes(end.T, start.T)[0]
    share = np.linspace(0, 1, n_images + 2)[:, None, None]
    path = (1 - share) * start + share * (turn.T @ end)
    engine, ends = _Engine(), energy.value_and_grad(path[[0, -1]])[0]
    values, first = np.concatenate([ends[:1], np.zeros(n_images), ends[1:]]), 0.0
    best = Band(path, np.full(n_images + 2, np.inf), np.inf)
    for step in range(n_steps):
        values[1:-1], gradient = energy.value_and_grad(path[1:-1])
        climbing = int(values.argmax()) if 2 * step >= n_steps else -1
        force, across = _forces(path, values, gradient, climbing)
        first = first or across
        if climbing >= 0 and across / (first or 1.0) < best.force:
            best = Band(path.copy(), values.copy(), across / (first or 1.0))
        spacing = np.linalg.norm(np.diff(path, axis=0), axis=(1, 2)).mean()
        path = path + np.pad(
            engine.step(force, LONGEST_STEP * spacing), ((1, 1), (0, 0), (0, 0))
        )
    return best


def _forces(path, values, gradient, climbing):
    """Forces on the images, (n, p, d), and the largest one across the path."""
    n = len(gradient)
    steps = np.diff(path, axis=0).reshape(n + 1, -1)
    lengths, slope = np.linalg.norm(steps, axis=1), gradient.reshape(n, -1)
    tangent = _tangents(steps, values)
    along = (slope * tangent).sum(axis=1, keepdims=True)
    across = slope - along * tangent
    # A spring that pulls as hard as the energy does: its strength then needs no units.
    pull = (
        np.abs(slope).max() / max(lengths.mean(), 1e-300) * (lengths[1:] - lengths[:-1])
    )
    force = pull[:, None] * tangent - across
    if 0 < climbing <= n:
        force[climbing - 1] = (
            2 * along[climbing - 1] * tangent[climbing - 1] - slope[climbing - 1]
        )
    return force.reshape(gradient.shape), float(np.linalg.norm(across, axis=1).max())


def _tangents(steps, values):
    """Unit tangents of the images: towards the higher neighbour; at a top or bottom the
    two, by their heights.
    """
    rise = np.diff(values)
    ahead, back = np.abs(rise[1:]), np.abs(rise[:-1])
    turns = rise[1:] * rise[:-1] <= 0
    forward = values[2:] > values[:-2]
    larger, smaller = np.maximum(ahead, back), np.minimum(ahead, back)
    weight = np.where(turns, np.where(forward, larger, smaller), forward)[:, None]
    other = np.where(turns, np.where(forward, smaller, larger), ~forward)[:, None]
    tangent = weight * steps[1:] + other * steps[:-1]
    tangent = np.where(
        np.linalg.norm(tangent, axis=1, keepdims=True) > 0,
        tangent,
        steps[1:] + steps[:-1],
    )
    return tangent / np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-300)


class _Engine:
    """Moves with inertia that stop and start anew, slower, when they go uphill."""

    def __init__(self) -> None:
        self.velocity: Any = 0.0
        self.time_step, self.longest, self.mixed, self.downhill = 0.0, 0.0, MIXED, 0

    def step(self, force: Array, longest: float) -> Array:
        """The displacement under a force; no image moves farther than ``longest``."""
        size = np.linalg.norm(force)
        if not size > 0:
            return np.zeros_like(force)
        if not self.time_step:
            self.time_step = np.sqrt(longest / np.linalg.norm(force, axis=(1, 2)).max())
            self.longest = 10 * self.time_step
        if (force * self.velocity).sum() > 0:
            self.velocity = (
                1 - self.mixed
            ) * self.velocity + self.mixed * force * np.linalg.norm(
                self.velocity
            ) / size
            self.downhill += 1
            if self.downhill > FEWEST_DOWNHILL:
                self.time_step = min(self.time_step * FASTER, self.longest)
                self.mixed *= LESS_MIXED
        else:
            self.velocity, self.downhill, self.mixed = np.zeros_like(force), 0, MIXED
            self.time_step *= SLOWER
        self.velocity = self.velocity + self.time_step * force
        moved = self.time_step * self.velocity
        return moved * min(1.0, longest / np.linalg.norm(moved, axis=(1, 2)).max())
