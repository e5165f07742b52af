"""Estimators of metric-learn's names that learn which of two pairs is nearer, or from labels: LSML and SCML."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..exceptions import callers_stacklevel
from ..learners import lsml, scml
from ..learners.validation import unit_of
from .base import DEPRECATED, LAST, Mahalanobis, PointsLearner, renamed, translated
from .constraints import drawn_quadruplets, partial_labels, warn_of_few
from .starts import metric_matrix

PER_FEATURE = 80  # bases of SCML, where no number is given
SCML_SEARCH = {"n_basis": None, "gamma": 5e-3, "max_iter": 10000, "output_iter": 500, "batch_size": 10}
STEP = 60  # our lengths of SCML's steps are in other units; metric-learn's default becomes ours


class ComparisonsClassifier(ClassifierMixin, Mahalanobis):
    """Subclasses say how many points a tuple has, and which of them are the two pairs."""

    classes_ = np.array([-1, 1])
    _size: int
    _near: list[int]
    _far: list[int]

    def decision_function(self, tuples: ArrayLike) -> NDArray:
        """By how much the second pair of every tuple is farther apart than the first, (n_tuples,)."""
        check_is_fitted(self)
        formed = self._formed(tuples, self._size)
        return self.pair_score(formed[:, self._near]) - self.pair_score(formed[:, self._far])

    def predict(self, tuples: ArrayLike) -> NDArray:
        """+1 where the first pair is the nearer one, -1 elsewhere, (n_tuples,)."""
        return np.where(self.decision_function(tuples) > 0, 1, -1)

    def score(self, tuples: ArrayLike, y: Any = None) -> float:
        """The share of tuples whose first pair is the nearer one; y is not used."""
        return float(np.mean(self.predict(tuples) == 1))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


class TripletsClassifier(ComparisonsClassifier):
    """The first point is nearer to the second than to the third."""

    _size, _near, _far = 3, [0, 1], [0, 2]


class QuadrupletsClassifier(ComparisonsClassifier):
    """The first two points are nearer to each other than the last two."""

    _size, _near, _far = 4, [0, 1], [2, 3]


class _LSML(Mahalanobis):
    """The translation that both have in common."""

    def _learn_quadruplets(self, X, quadruplets, weights):
        prior = metric_matrix(self.prior, X, "prior", self.random_state)
        learner = self._translate(lsml.LSML, prior=prior, tol=self.tol**2)  # a gap is of second order in M
        given = np.ones(len(quadruplets)) if weights is None else np.asarray(weights, dtype=np.float64)
        return self._learn_by(learner, X, quadruplets=quadruplets, weights=given / given.sum())


@translated(tol=1e-3, max_iter=1000, prior="identity", **LAST)
class LSML(_LSML, QuadrupletsClassifier):
    """Least squared-residual metric learning from quadruplets, by :class:`freemetric.LSML`.

    Examples
    --------
    >>> from freemetric.metric_learn import LSML
    >>> quadruplets = [[[1.2, 7.5], [1.3, 1.5], [6.4, 2.6], [6.2, 9.7]],
    ...                [[1.3, 4.5], [3.2, 4.6], [6.2, 5.5], [5.4, 5.4]]]
    >>> LSML().fit(quadruplets).score(quadruplets)
    0.5
    """

    def fit(self, quadruplets: ArrayLike, weights: ArrayLike | None = None) -> Self:
        """Learn the metric from quadruplets.

        Parameters
        ----------
        quadruplets : array-like of shape (n_quadruplets, 4, n_features) or (n_quadruplets, 4)
            Quadruplets of points, or of indicators: the first two are nearer to each other than the last two.
        weights : array-like of shape (n_quadruplets,), default=None
            What they are worth, relative to each other.

        Returns
        -------
        self : object
        """
        X, indices = self._distinct(quadruplets, 4)
        return self._learn_quadruplets(X, indices, weights)


@translated(
    tol=1e-3, max_iter=1000, prior="identity", n_constraints=None, weights=None, **LAST, num_constraints=DEPRECATED
)
class LSML_Supervised(_LSML, PointsLearner):  # noqa: N801 - metric-learn's name
    """Least squared-residual metric learning from labels: quadruplets are drawn from them.

    Parameters
    ----------
    weights : array-like of shape (n_constraints,), default=None
        What they are worth, relative to each other.

    Examples
    --------
    {iris}
    >>> from freemetric.metric_learn import LSML_Supervised
    >>> LSML_Supervised(n_constraints=200, random_state=0).fit(X, y).transform(X).shape
    (150, 4)
    """

    def _learn_points(self, X, y):
        n = renamed(self.num_constraints, self.n_constraints, "num_constraints", "n_constraints")
        return self._learn_quadruplets(X, drawn_quadruplets(y, n, self.random_state), self.weights)


class _SCML(Mahalanobis):
    """The translation that both have in common."""

    _names = {"regularization": "beta"}
    _described = {"gamma": "gamma_of_steps"}
    _drawn_basis: str  # the name of the basis that is drawn

    def _learn(self, X, y=None, triplets=None, **own):
        """Learn without a warning about ``max_iter``, which alone ends the search here."""
        learner = self._translate(
            scml.SCML,
            n_basis=self._n_basis(X.shape[1]),
            basis=None if isinstance(self.basis, str) else self.basis,
            regularization=self.beta / unit_of(X) ** 2,  # of weights in units of X, theirs being of X itself
            gamma=STEP * self.gamma,
            **own,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return self._learn_by(learner, X, y, triplets=triplets)

    def _check_basis(self, d):
        if isinstance(self.basis, str):
            if self.basis == self._drawn_basis:
                return
        elif np.ndim(self.basis) == 2:
            if np.shape(self.basis)[1] == d:
                return
            said = f"The dimensionality ({np.shape(self.basis)[1]}) of the provided bases must match"
            raise ValueError(f"{said} the dimensionality of the data ({d}).")
        known = f"`basis` must be one of the options '{self._drawn_basis}'"
        raise ValueError(f"{known} or an array of shape (n_basis, n_features).")

    def _n_basis(self, d):
        if self.n_basis is None and isinstance(self.basis, str):
            said = "As no value for `n_basis` was selected, the number of basis will be set to n_basis="
            warnings.warn(f"{said} {PER_FEATURE * d}", stacklevel=callers_stacklevel())
            return PER_FEATURE * d
        return self.n_basis


@translated(beta=1e-5, basis="triplet_diffs", **SCML_SEARCH, **LAST)
class SCML(_SCML, TripletsClassifier):
    """Sparse compositional metric learning from triplets, by :class:`freemetric.SCML`.

    Parameters
    ----------
    basis : "triplet_diffs" or array-like of shape (n_basis, n_features), default="triplet_diffs"
        Directions that are weighed: found in regions of the triplets, or given.

    Examples
    --------
    >>> from freemetric.metric_learn import SCML
    >>> triplets = [[[1.2, 7.5], [1.3, 1.5], [6.2, 9.7]], [[1.3, 4.5], [3.2, 4.6], [5.4, 5.4]],
    ...             [[3.2, 7.5], [3.3, 1.5], [8.2, 9.7]], [[3.3, 4.5], [5.2, 4.6], [7.4, 5.4]]]
    >>> SCML(n_basis=10, random_state=42).fit(triplets).score(triplets)
    1.0
    """

    _drawn_basis = "triplet_diffs"

    def fit(self, triplets: ArrayLike) -> Self:
        """Learn the metric from triplets.

        Parameters
        ----------
        triplets : array-like of shape (n_triplets, 3, n_features) or (n_triplets, 3)
            Triplets of points, or of indicators: the first is nearer to the second than to the third.

        Returns
        -------
        self : object
        """
        X, indices = self._distinct(triplets, 3)
        self._check_basis(X.shape[1])
        if isinstance(self.basis, str) and X.shape[1] > len(indices):
            raise ValueError(
                f"Number of features ({X.shape[1]}) is greater than the number of triplets({len(indices)}).\n"
                "Consider using dimensionality reduction or using another basis generation scheme."
            )
        return self._learn(X, triplets=indices)


@translated(k_genuine=3, k_impostor=10, beta=1e-5, basis="lda", **SCML_SEARCH, **LAST)
class SCML_Supervised(_SCML, PointsLearner):  # noqa: N801 - metric-learn's name
    """Sparse compositional metric learning from labels, by :class:`freemetric.SCML`.

    Parameters
    ----------
    k_genuine : int, default=3
        Nearest points of the own class in the triplets of a point.
    k_impostor : int, default=10
        Nearest points of other classes.
    basis : "lda" or array-like of shape (n_basis, n_features), default="lda"
        Directions that are weighed: discriminants in regions of the points, or given.

    Examples
    --------
    {iris}
    >>> from freemetric.metric_learn import SCML_Supervised
    >>> SCML_Supervised(n_basis=80, random_state=33).fit(X, y).transform(X).shape
    (150, 4)
    """

    _drawn_basis = "lda"
    _names = _SCML._names | {"n_neighbors": "k_genuine", "n_impostors": "k_impostor"}

    def _learn_points(self, X, y):
        self._check_basis(X.shape[1])
        labels = partial_labels(y)
        X, labels = X[labels >= 0], labels[labels >= 0]
        warn_of_few(labels, self.k_genuine, self.k_impostor)
        return self._learn(X, labels, n_neighbors=self.k_genuine, n_impostors=self.k_impostor)
