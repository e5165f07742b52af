"""Class densities: free energies of a sample in the classes, beside the votes of its neighbours."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ..files import register
from ..files.checks import check_array, require
from .views import Steps


class ClassEnergies(ABC):
    """Free energies (n, C) that samples X (n, d) have in every class; what all classes share does not matter."""

    words: ClassVar[str]  # name in reports

    @abstractmethod
    def __call__(self, X: NDArray) -> NDArray[np.float64]:
        """Free energies (n, C) of samples X (n, d), up to what all classes share."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Numbers of classes and features."""

    def to_state(self) -> dict[str, Any]:
        """What a file holds of it."""
        return dict(vars(self))

    @classmethod
    @abstractmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """What a file holds; ValueError where its parts do not fit together."""


class ClassDensity(ClassEnergies):
    """Free energies in units of sqrt(d), from the features alone."""

    n_folds: ClassVar[int] = 10  # of cross-fitting: parts of the samples, each of which meets densities of the others
    fewest: ClassVar[int] = 0  # samples that it is tried with

    @classmethod
    def affordable(cls, n_features: int, n_classes: int) -> bool:
        """Whether so many features and classes are not too many."""
        return True

    @classmethod
    @abstractmethod
    def of(cls, X: NDArray, y: NDArray, n_classes: int, weights: NDArray | None = None) -> Self:
        """The densities of rows X (N, d) with class numbers y (N,) and weights (N,); a class may have no rows."""


CLASS_DENSITIES: dict[str, type[ClassDensity]] = {}
"""Class densities by name."""


def register_class_density(name: str, densities: type[ClassDensity]) -> None:
    """Make densities known: to recipes by their name, and to model files.

    Parameters
    ----------
    name : str
        What recipes call them.
    densities : subclass of ClassDensity
        The densities.
    """
    if not name:
        raise ValueError("Class densities need a name.")
    register(f"density:{name}", densities)
    CLASS_DENSITIES[name] = densities


def weights_by_class(y: NDArray, n_classes: int, weights: NDArray | None) -> NDArray[np.float64]:
    """W (N, C): the weight of every row in the column of its class; their mean is one."""
    W = np.zeros((len(y), n_classes))
    W[np.arange(len(y)), y] = 1.0 if weights is None else weights / weights.mean()
    return W


MOST_NUMBERS = 1_000_000  # of all matrices together
ROUNDNESS = 1e-4  # share of a sphere in every covariance, which holds directions that do not vary
FARTHEST = 1e300  # squared distance, so that differences of energies are numbers


@dataclass(frozen=True, eq=False)
class StudentTDiscriminant(ClassDensity):
    r"""F_c(x) = d log(1 + D_c^2 / d) + log|S_c| / 2, with Mahalanobis' distance D_c to the centre of class c.

    The covariance S_c is that of the class, shrunk towards the one within all classes as if the latter had been seen on
    d samples, and a little towards a sphere. Up to a constant this is the negative logarithm of Student's density with
    d degrees of freedom.

    Parameters
    ----------
    centres : ndarray of shape (n_classes, n_features)
        Centres of the classes.
    roots : ndarray of shape (n_classes or 1, n_features, n_features)
        D_c = ``|(x - centre) @ root|``; one root where all classes share it.
    depths : ndarray of shape (n_classes or 1,)
        log|S_c| / 2.
    """

    words = "the distance to the centre"
    is_shared: ClassVar[bool] = False  # whether all classes have one covariance

    centres: NDArray
    roots: NDArray
    depths: NDArray

    @classmethod
    def affordable(cls, n_features, n_classes):
        return n_classes * n_features**2 <= MOST_NUMBERS

    @classmethod
    def of(cls, X, y, n_classes, weights=None):
        d, W = X.shape[1], weights_by_class(y, n_classes, weights)
        w = W.sum(axis=1)
        middle = np.average(X, axis=0, weights=w)
        spread = np.sqrt(np.average((X - middle) ** 2, axis=0, weights=w))
        spread = np.where(spread > 0, spread, 1.0)
        Z = (X - middle) / spread
        sizes = W.sum(axis=0)
        centres = W.T @ Z / np.maximum(sizes, np.finfo(float).tiny)[:, None]  # the middle where a class has no rows
        R = (Z - centres[y]) * np.sqrt(w)[:, None]
        scatters = np.array([R[y == c].T @ R[y == c] for c in range(n_classes)])
        shapes = scatters.sum(axis=0, keepdims=True) / sizes.sum()  # within all classes
        if not cls.is_shared:
            shapes = (scatters + d * shapes) / (sizes + d)[:, None, None]
        roundness = np.maximum(np.trace(shapes, axis1=1, axis2=2) / d, np.finfo(np.float32).eps)
        shapes = (1 - ROUNDNESS) * shapes + ROUNDNESS * roundness[:, None, None] * np.eye(d)
        lower = np.linalg.cholesky(shapes)
        roots = np.ascontiguousarray(np.swapaxes(np.linalg.inv(lower), 1, 2)) / spread[:, None]  # as files keep them
        depths = np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
        return cls(middle + centres * spread, roots, depths)

    @property
    def shape(self):
        return self.centres.shape

    def __call__(self, X):
        (C, d), out = self.centres.shape, np.empty((len(X), len(self.centres)))
        with np.errstate(over="ignore", invalid="ignore"):
            for c, root in enumerate(np.broadcast_to(self.roots, (C, d, d))):
                out[:, c] = (((X - self.centres[c]) @ root) ** 2).sum(axis=1)
        apart = np.nan_to_num(out, nan=FARTHEST, posinf=FARTHEST)
        return (d * np.log1p(apart / d) + self.depths) / np.sqrt(d)

    @classmethod
    def from_state(cls, state):
        centres, roots, depths = state["centres"], state["roots"], state["depths"]
        check_array(centres, f"centres of {cls.__name__}", 2)
        require(centres.size, f"centres of {cls.__name__}", "are none")
        d, n_shapes = centres.shape[1], 1 if cls.is_shared else len(centres)
        check_array(roots, f"roots of {cls.__name__}", 3, (n_shapes, d, d))
        check_array(depths, f"depths of {cls.__name__}", 1, (n_shapes,))
        return cls(centres, roots, depths)


class SharedStudentT(StudentTDiscriminant):
    """The same with one covariance, the one within classes, for all of them: Fisher's discriminant with heavier tails.

    It finds classes that differ where hardly anything varies, from fewer samples than one covariance for each needs.
    """

    words = "the distance to the centre, in one metric for all classes"
    is_shared = True


register_class_density("student-t", StudentTDiscriminant)
register_class_density("shared-student-t", SharedStudentT)


PRIOR = 3.0  # samples of all classes together that every class has seen, too
EMPTY = 1e-9  # weight of an interval without rows


class Intervals(NamedTuple):
    """Weights of rows between thresholds, by classes."""

    steps: Steps
    inside: NDArray  # (S, C) between a threshold and the next
    below: NDArray  # (d, C) below all thresholds of a feature
    sizes: NDArray  # (C,) of all

    @classmethod
    def of(cls, X: NDArray, W: NDArray) -> "Intervals":
        """The intervals of rows X (N, d) with weights W (N, C)."""
        steps = Steps.of(X)
        sizes, above = W.sum(axis=0), steps(X).T @ W  # (C,), (S, C)
        is_first = np.diff(steps.owner, prepend=-1) > 0
        is_last = np.append(is_first[1:], True)
        inside = above - np.where(is_last[:, None], 0.0, np.roll(above, -1, axis=0))
        below = sizes - above[is_first]
        inside[inside < EMPTY], below[below < EMPTY] = 0.0, 0.0  # sums of weights in another order are not quite equal
        return cls(steps, inside, below, sizes)

    def likelihood_ratios(self) -> tuple[NDArray, NDArray]:
        """G = 2 sum n log(n / expected) (d,) of every feature and the class, and its degrees of freedom (d,).

        The expectation runs over intervals and classes as if they were independent; G is then dof on average.
        """
        steps, inside, below, sizes = self
        d = len(below)
        G = np.bincount(steps.owner, _likelihood_ratio(inside, sizes), d) + _likelihood_ratio(below, sizes)
        n_intervals = np.bincount(steps.owner, inside.any(axis=1), d) + below.any(axis=1)
        return G, (n_intervals - 1) * (np.count_nonzero(sizes) - 1)


@dataclass(frozen=True, eq=False)
class BinnedNaiveBayes(ClassDensity):
    """F_c(x) = -sum_j log p_j(x_j | c) / p_j(x_j), with features in intervals between a few thresholds.

    Thresholds are those of the view of steps, so that a category is an interval of its own, and monotone rescaling does
    not matter. Each interval's share in a class is shrunk towards that in all classes. The sum over features is linear
    in the steps.

    Parameters
    ----------
    steps : Steps
        The thresholds.
    slopes : ndarray of shape (n_steps, n_classes)
        By how much F changes where a threshold is crossed.
    base : ndarray of shape (n_classes,)
        F below all thresholds.
    """

    words = "the usual values of single features"

    steps: Steps
    slopes: NDArray
    base: NDArray

    @classmethod
    def of(cls, X, y, n_classes, weights=None):
        return cls.of_intervals(Intervals.of(X, weights_by_class(y, n_classes, weights)))

    @classmethod
    def of_intervals(cls, intervals: "Intervals") -> "BinnedNaiveBayes":
        """The densities of rows that were counted before."""
        steps, inside, below, sizes = intervals
        strength = cls._strength(intervals)[:, None]
        energies, lowest = strength[steps.owner] * _energies(inside, sizes), strength * _energies(below, sizes)
        before = np.roll(energies, 1, axis=0)
        before[np.diff(steps.owner, prepend=-1) > 0] = lowest
        scale = np.sqrt(len(below))
        return cls(steps, (energies - before) / scale, lowest.sum(axis=0) / scale)

    @staticmethod
    def _strength(intervals):
        """How far every feature (d,) counts."""
        return np.ones(len(intervals.below))

    @property
    def shape(self):
        return len(self.base), int(self.steps.owner[-1]) + 1

    def __call__(self, X):
        return self.steps(X) @ self.slopes + self.base

    @classmethod
    def from_state(cls, state):
        steps, slopes, base = state["steps"], state["slopes"], state["base"]
        require(type(steps) is Steps, "steps of BinnedNaiveBayes", "are something else")
        check_array(base, "base of BinnedNaiveBayes", 1)
        require(len(base), "base of BinnedNaiveBayes", "is empty")
        check_array(slopes, "slopes of BinnedNaiveBayes", 2, (len(steps.owner), len(base)))
        return cls(steps, slopes, base)


class ScreenedNaiveBayes(BinnedNaiveBayes):
    """Naive Bayes in which every feature has the weight max(0, 1 - dof / G), James and Stein's shrinkage.

    G is the likelihood ratio of the feature and the class; of an uninformative feature it is dof on average.
    """

    words = "the usual values of features that matter by themselves"

    @staticmethod
    def _strength(intervals):
        G, dof = intervals.likelihood_ratios()
        return 1 - dof / np.maximum(G, np.maximum(dof, 1))


def _likelihood_ratio(counts, sizes):
    """2 sum_c n_c log(n_c / expected) (S,) of intervals that hold ``counts`` (S, C) rows of every class."""
    expected = counts.sum(axis=1, keepdims=True) * sizes / sizes.sum()
    return 2 * special.rel_entr(counts, np.where(counts > 0, expected, 1.0)).sum(axis=1)


def _energies(inside, sizes):
    """-log p(interval | c) / p(interval) (S, C) of intervals that hold ``inside`` (S, C) rows of every class."""
    shares = inside.sum(axis=1, keepdims=True) / sizes.sum()
    known = shares > 0  # an interval without rows has energy zero
    ratios = np.where(known, inside / np.where(known, shares, 1.0) + PRIOR, sizes + PRIOR) / (sizes + PRIOR)
    return -np.log(ratios)


def significant_features(X: NDArray, y: NDArray, weights: NDArray | None = None) -> NDArray[np.float64]:
    """How far every feature of X (N, d) tells classes y (N,) apart by itself, (d,): 1 - dof / G, or 0 by chance.

    By chance means: not above dof + 2 sqrt(dof log d) + 2 log d, which the largest of d ratios of noise hardly exceeds
    (Laurent and Massart 2000).
    """
    classes, numbers = np.unique(y, return_inverse=True)
    G, dof = Intervals.of(X, weights_by_class(numbers, len(classes), weights)).likelihood_ratios()
    highest = dof + 2 * np.sqrt(dof * np.log(len(G))) + 2 * np.log(len(G))
    return np.where(highest < G, 1 - dof / np.maximum(G, 1.0), 0.0)


register_class_density("naive-bayes", BinnedNaiveBayes)
register_class_density("screened-naive-bayes", ScreenedNaiveBayes)


def densities_of(
    kinds: Sequence[type[ClassDensity]], X: NDArray, y: NDArray, n_classes: int, weights: NDArray | None = None
) -> list[ClassDensity]:
    """Densities of several kinds of the same rows; rows in intervals are counted once."""
    counted = cache(lambda: Intervals.of(X, weights_by_class(y, n_classes, weights)))
    return [
        kind.of_intervals(counted()) if issubclass(kind, BinnedNaiveBayes) else kind.of(X, y, n_classes, weights)
        for kind in kinds
    ]
