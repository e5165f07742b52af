"""Which of two pairs of samples is nearer."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .comparing import ComparisonClassifier


class QuadrupletClassifier(ComparisonClassifier):
    """Any learner that takes quadruplets, which then says which of two pairs of samples is the nearer one.

    Quadruplets are samples, an array of shape (n_quadruplets, 4, n_features), or indices of shape (n_quadruplets, 4)
    into the rows of ``preprocessor``.

    Parameters
    ----------
    learner : estimator with fit and transform
        Its ``fit`` takes ``quadruplets``: LSML, :class:`Kernelized` around it, or a pipeline that ends with it.
    preprocessor : array-like of shape (n_samples, n_features), callable or None, default=None
        The samples that indices are rows of, all of which the learner sees; or a function that gives samples
        (n, n_features) for keys (n,) of any kind, such as names of files.

    Attributes
    ----------
    learner_ : estimator
        The learner, fitted.
    classes_ : ndarray of shape (2,)
        -1 and 1.
    n_features_in_ : int
        Features of a sample.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if the preprocessor has any.

    See Also
    --------
    PairClassifier : Whether two samples are alike.
    TripletClassifier : Which of two samples is nearer to a third.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import minmax_scale
    >>> from freemetric import LSML, QuadrupletClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> X = minmax_scale(X)
    >>> rows = np.random.default_rng(0).integers(len(X), size=(9000, 4))
    >>> a, b, c, d = y[rows.T]
    >>> quadruplets = rows[(a == b) & (c != d)]
    >>> model = QuadrupletClassifier(LSML(), preprocessor=X).fit(quadruplets[:1000])
    >>> model.score(quadruplets[1000:]) > 0.9  # accuracy
    True
    """

    _width, _name, _told = 4, "quadruplets", ("quadruplets",)
    _swapped = (2, 3, 0, 1)

    def fit(self, quadruplets: ArrayLike, y: ArrayLike | None = None, *, weights: ArrayLike | None = None) -> Self:
        """Learn the metric.

        Parameters
        ----------
        quadruplets : array-like of shape (n_quadruplets, 4, n_features) or (n_quadruplets, 4)
            The first two samples are nearer to each other than the last two; or rows of the preprocessor.
        y : array-like of shape (n_quadruplets,) or None, default=None
            -1 where the last two are nearer; None: +1 for all.
        weights : array-like of shape (n_quadruplets,), default=None
            What each of them is worth, where the learner can tell.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        return self._fit(quadruplets, y, weights)

    def decision_function(self, quadruplets: ArrayLike) -> NDArray:
        """By how much the last two samples are farther apart than the first two, (n_quadruplets,)."""
        return self._measured(quadruplets, lambda P: self._distances(P, 2, 3) - self._distances(P, 0, 1))

    def predict(self, quadruplets: ArrayLike) -> NDArray:
        """+1 where the first two samples are nearer to each other than the last two, -1 elsewhere."""
        return np.where(self.decision_function(quadruplets) > 0, 1, -1)

    def score(self, quadruplets: ArrayLike, y: ArrayLike | None = None) -> float:
        """Share of the quadruplets that are told right; y is +1 for all if it is None."""
        return self._score(quadruplets, y)
