"""Estimators of metric-learn's names that learn which of two pairs is nearer, or from labels: LSML and SCML."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .. import learners
from ..exceptions import callers_stacklevel
from ..learners.validation import unit_of
from .base import DEPRECATED, LAST, Mahalanobis, translated
from .constraints import drawn, partial_labels, warn_of_few
from .points import PointsLearner
from .starts import metric_matrix

PER_FEATURE = 80  # bases of SCML by default
SCML_SEARCH = {"n_basis": None, "gamma": 5e-3, "max_iter": 10000, "output_iter": 500, "batch_size": 10}
STEP = 60  # our lengths of SCML's steps are in other units; metric-learn's default becomes ours


class ComparisonsClassifier(ClassifierMixin, Mahalanobis):
    """Subclasses define the number of points in a tuple, and its two pairs."""

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


class BaseLSML(Mahalanobis):
    def _learn_quadruplets(self, X, quadruplets, weights):
        prior = metric_matrix(self.prior, X, "prior", self.random_state)
        tol = self.tol**2  # the gap is of second order in the error of M
        learner = self._translate(learners.LSML, prior=prior, tol=tol)
        given = np.ones(len(quadruplets)) if weights is None else np.asarray(weights, dtype=np.float64)
        return self._learn_by(learner, X, quadruplets=quadruplets, weights=given / given.sum())


@translated(tol=1e-3, max_iter=1000, prior="identity", **LAST)
class LSML(BaseLSML, ComparisonsClassifier):
    """Least squared-residual metric learning from quadruplets, by :class:`freemetric.LSML`."""

    _fitted_on = "quadruplets"
    _size, _near, _far = 4, [0, 1], [2, 3]

    def fit(self, quadruplets: ArrayLike, weights: ArrayLike | None = None) -> Self:
        """Learn the metric from quadruplets (n, 4, n_features), or of indicators (n, 4), and their weights (n,).

        The first two points of a quadruplet are nearer to each other than the last two.
        """
        X, indices = self._distinct(quadruplets, 4)
        return self._learn_quadruplets(X, indices, weights)


@translated(
    tol=1e-3, max_iter=1000, prior="identity", n_constraints=None, weights=None, **LAST, num_constraints=DEPRECATED
)
class LSML_Supervised(BaseLSML, PointsLearner):  # noqa: N801 - metric-learn's name
    """Least squared-residual metric learning from labels: quadruplets are drawn from them."""

    _example = "n_constraints=200, random_state=0"

    def _learn_points(self, X, y):
        quadruplets = drawn(y, self._given("n_constraints"), self.random_state, same_length=True)
        return self._learn_quadruplets(X, np.column_stack(quadruplets), self.weights)


class BaseSCML(Mahalanobis):
    _names = {"regularization": "beta"}
    _drawn_basis: str  # the name of the basis that is drawn

    def _learn(self, X, y=None, triplets=None, **own):
        """Learn without a warning about ``max_iter``, which alone ends the search here."""
        n_basis = self.n_basis
        if n_basis is None and isinstance(self.basis, str):
            n_basis = PER_FEATURE * X.shape[1]
            what = "As no value for `n_basis` was selected, the number of basis will be set to n_basis="
            warnings.warn(f"{what} {n_basis}", stacklevel=callers_stacklevel())
        learner = self._translate(
            learners.SCML,
            n_basis=n_basis,
            basis=None if isinstance(self.basis, str) else self.basis,
            regularization=self.beta / unit_of(X) ** 2,  # of weights in units of X, theirs being of X itself
            gamma=STEP * self.gamma,
            **own,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return self._learn_by(learner, X, y, triplets=triplets)

    def _check_basis(self, d):
        if isinstance(self.basis, str) and self.basis == self._drawn_basis:
            return
        if isinstance(self.basis, str) or np.ndim(self.basis) != 2:
            known = f"`basis` must be one of the options '{self._drawn_basis}'"
            raise ValueError(f"{known} or an array of shape (n_basis, n_features).")
        if np.shape(self.basis)[1] != d:
            what = f"The dimensionality ({np.shape(self.basis)[1]}) of the provided bases must match"
            raise ValueError(f"{what} the dimensionality of the data ({d}).")


@translated(beta=1e-5, basis="triplet_diffs", **SCML_SEARCH, **LAST)
class SCML(BaseSCML, ComparisonsClassifier):
    """Sparse compositional metric learning from triplets, by :class:`freemetric.SCML`."""

    _fitted_on = "triplets"
    _size, _near, _far = 3, [0, 1], [0, 2]
    _example = "n_basis=10, random_state=42"
    _drawn_basis = "triplet_diffs"

    def fit(self, triplets: ArrayLike) -> Self:
        """Learn the metric from triplets (n, 3, n_features), or of indicators (n, 3).

        The first point of a triplet is nearer to the second than to the third.
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
class SCML_Supervised(BaseSCML, PointsLearner):  # noqa: N801 - metric-learn's name
    """Sparse compositional metric learning from labels, by :class:`freemetric.SCML`."""

    _example = "n_basis=80, random_state=33"
    _drawn_basis = "lda"
    _names = BaseSCML._names | {"n_neighbors": "k_genuine", "n_impostors": "k_impostor"}

    def _learn_points(self, X, y):
        self._check_basis(X.shape[1])
        labels = partial_labels(y)
        X, labels = X[labels >= 0], labels[labels >= 0]
        warn_of_few(labels, self.k_genuine, self.k_impostor)
        return self._learn(X, labels, n_neighbors=self.k_genuine, n_impostors=self.k_impostor)
