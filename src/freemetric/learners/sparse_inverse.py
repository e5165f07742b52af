"""The graphical lasso: a sparse matrix in place of an inverse, by Newton's method."""

from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, cholesky

from .base import tell
from .lowest import Lowest
from .newton_direction import newton_direction

SHORTEST = 2.0**-30  # step against Newton's; below it rounding decides
ENOUGH = 1e-3  # of what the direction promises
ROUNDING = 1e-13  # of the terms that the objective sums


class Point(NamedTuple):
    """A positive definite matrix, its inverse, and the objective there."""

    M: NDArray[np.float64]
    inverse: NDArray[np.float64]
    value: float  # tr(S M) - log det M and the penalty


class SparseInverse:
    """min over M > 0 of tr(S M) - log det M + sum_{i != j} penalty |M_ij|, for S with a positive diagonal.

    Newton's method on the elements that are not zero or would not stay so; one that would change its sign becomes zero
    on the way, exactly. Everything is measured in units in which the diagonal of S is one. Every W within ``penalty``
    of S bounds the minimum from below, by log det W + d: the inverse of M, clipped, or what it would be if the elements
    of M that are not zero were right, which is nearer in the end. A step costs some products of matrices.

    Reference: F. Oztoprak, J. Nocedal, S. Rennie, P. A. Olsen, Newton-like methods for sparse inverse covariance
    estimation, NIPS 2012.
    """

    def __init__(self, S: NDArray, penalty: float) -> None:
        self.units = np.sqrt(np.diag(S))
        each = np.outer(self.units, self.units)
        self.S, self.penalty = S / each, penalty / each
        np.fill_diagonal(self.penalty, 0.0)
        self.highest, self.n_iter = -np.inf, 0
        self.best = Lowest()

    @property
    def gap(self) -> float:
        return max(self.best.value - self.highest, 0.0)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The best M, in the units of the given S."""
        return self.best.item / np.outer(self.units, self.units)

    @property
    def objective(self) -> float:
        """Its value, in the same units."""
        return self.best.value + 2 * float(np.log(self.units).sum())

    def run(self, max_iter: int, tol: float, verbose: bool = False) -> bool:
        """Until the gap is at most tol times the number of features; False if it is not."""
        at = self.start()
        enough = len(self.S) * max(tol, ROUNDING)
        while at is not None and self.look(at) > enough:
            if self.n_iter == max_iter:
                return False
            at = self.advance(at)
            self.n_iter += 1
            tell(verbose, "SDML iteration %d: objective %.6g, gap %.2e", self.n_iter, self.objective, self.gap)
        return at is not None

    def start(self) -> Point | None:
        """The solution without penalty, or that of a large one."""
        points = [self.point(np.eye(len(self.S)))]
        with suppress(LinAlgError):
            points.append(self.point(cho_solve((cholesky(self.S, lower=True), True), np.eye(len(self.S)))))
        return min(filter(None, points), key=lambda point: point.value, default=None)

    def look(self, at: Point) -> float:
        """Remember the best of both problems; how far they are apart."""
        self.best.offer(at.value, at.M)
        forces = np.clip(at.inverse - self.S, -self.penalty, self.penalty)
        for Z in (forces, np.where(at.M == 0, forces, np.sign(at.M) * self.penalty)):
            with suppress(LinAlgError):  # no point of the dual problem
                self.highest = max(self.highest, 2 * float(np.log(np.diag(cholesky(self.S + Z))).sum()) + len(Z))
        return self.gap

    def advance(self, at: Point) -> Point | None:
        """A step along Newton's direction, whole if that leads down far enough; None where no step leads down."""
        gradient = self.S - at.inverse
        free = (at.M != 0) | (np.abs(gradient) > self.penalty)
        signs = np.where(at.M != 0, np.sign(at.M), -np.sign(gradient))
        slope = np.where(free, gradient + signs * self.penalty, 0.0)
        D, step = newton_direction(at.M, at.inverse, slope, free), 1.0
        while step > SHORTEST:
            M = at.M + step * D
            M[(self.penalty > 0) & (M * signs < 0)] = 0.0  # beyond zero the slope is another one
            following, promised = self.point(M), (slope * (M - at.M)).sum()
            if following is not None and following.value < at.value + min(ENOUGH * promised, 0.0):
                return following
            step /= 2
        return None

    def point(self, M: NDArray) -> Point | None:
        """None where M is not positive definite."""
        try:
            root = cholesky(M, lower=True)
        except LinAlgError:
            return None
        value = (self.S * M).sum() - 2 * np.log(np.diag(root)).sum() + (self.penalty * np.abs(M)).sum()
        inverse = cho_solve((root, True), np.eye(len(M)))
        return Point(M, (inverse + inverse.T) / 2, float(value))
