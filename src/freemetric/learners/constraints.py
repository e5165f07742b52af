"""Constraints of parameters that estimators share, as scikit-learn validates them."""

from numbers import Integral, Real

import numpy as np

from ..sklearn_compat import HasMethods, Interval, StrOptions

COUNT = [Interval(Integral, 1, None, closed="left")]
COUNT_OR_NONE = [*COUNT, None]
TWO_OR_MORE = [Interval(Integral, 2, None, closed="left")]
TWO_OR_MORE_OR_NONE = [*TWO_OR_MORE, None]
POSITIVE = [Interval(Real, 0, None, closed="neither")]
NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
SHARE = [Interval(Real, 0, 1, closed="left")]
NOT_NEGATIVE_OR_AUTO = [*NOT_NEGATIVE, StrOptions({"auto"})]
COUNT_OR_AUTO = [*COUNT, StrOptions({"auto"})]

MAP = [StrOptions({"auto", "identity", "pca", "lda", "random", "uniform"})]
MAP += [np.ndarray, list]
MAP_OF_REGRESSION = [
    StrOptions({"auto", "identity", "pca", "pls", "random", "uniform"})
]
MAP_OF_REGRESSION += [np.ndarray, list]
PRIOR = [StrOptions({"identity", "covariance"}), np.ndarray, list]

LEARNER = [HasMethods(["fit", "transform"])]
PREPROCESSOR = ["array-like", "sparse matrix", callable, None]
SEED = ["random_state"]
SEARCH = {
    "max_iter": COUNT,
    "tol": NOT_NEGATIVE,
    "random_state": SEED,
}
