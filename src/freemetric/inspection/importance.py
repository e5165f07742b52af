"""Permutation importances of groups of features."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import check_scoring
from sklearn.utils import Bunch, check_array, check_random_state

from .features import feature_groups


def permutation_importance(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    n_repeats: int = 5,
    scoring: Any = None,
    random_state: Any = None,
) -> Bunch:
    r"""Measure how much the score drops when the values of features are shuffled.

    The importance of a group of features is the mean of :math:`s - s_r` over repeats
    r. Here s is the score of the model on X, and :math:`s_r` is the score after the
    rows of these features were put into random order. All features of a group move
    together. scikit-learn's ``permutation_importance`` shuffles one column at a time.

    Put the columns of a one-hot encoding into one group, or one column gives away what
    another one hides. Put features that carry the same information into one group:
    each alone seems dispensable because the others stand in for it.

    Parameters
    ----------
    model : estimator
        Any fitted estimator or pipeline.
    X : array-like or pandas DataFrame of shape (n_samples, n_features)
        Samples that the model was not fitted on.
    y : array-like of shape (n_samples,)
        Their targets.
    groups : array-like of shape (n_features,) or None, default=None
        Name of the group of each feature. None: each feature is a group of its own.
    n_repeats : int, default=5
        Shuffles of each group.
    scoring : str, callable or None, default=None
        Scorer of scikit-learn; None: the ``score`` method of the model.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffles.

    Returns
    -------
    result : Bunch
        ``names`` (n_groups,) of the groups in order of appearance;
        ``importances`` (n_groups, n_repeats), ``importances_mean`` (n_groups,) and
        ``importances_std`` (n_groups,), as in scikit-learn.

    See Also
    --------
    sklearn.inspection.permutation_importance : Columns one at a time, in parallel.

    References
    ----------
    .. [1] L. Breiman, "Random Forests", Machine Learning 45, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from freemetric.inspection import permutation_importance
    >>> rng = np.random.default_rng(0)
    >>> colour = rng.integers(0, 3, 200)
    >>> X = np.column_stack([np.eye(3)[colour], rng.random(200)])
    >>> model = LogisticRegression().fit(X[:100], colour[:100] == 1)
    >>> groups = ["colour", "colour", "colour", "size"]
    >>> found = permutation_importance(
    ...     model, X[100:], colour[100:] == 1, groups=groups, random_state=0
    ... )
    >>> found.names.tolist()
    ['colour', 'size']
    >>> found.importances_mean.round(1).tolist()
    [0.5, 0.0]
    """
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1, got {n_repeats!r}.")
    if not _is_frame(X):
        X = check_array(X, dtype=None, ensure_all_finite=False)
    names, columns = feature_groups(groups, _feature_names(model, X))
    scorer = check_scoring(model, scoring)
    rng = check_random_state(random_state)
    score = scorer(model, X, y)
    importances = np.empty((len(names), n_repeats))
    for group, of_group in enumerate(columns):
        for repeat in range(n_repeats):
            shuffled = _shuffled(X, of_group, rng)
            importances[group, repeat] = score - scorer(model, shuffled, y)
    return Bunch(
        names=names,
        importances=importances,
        importances_mean=importances.mean(axis=1),
        importances_std=importances.std(axis=1),
    )


def _is_frame(X: Any) -> bool:
    return hasattr(X, "iloc")


def _feature_names(model: Any, X: Any) -> NDArray:
    if _is_frame(X):
        return np.asarray(X.columns)
    return getattr(model, "feature_names_in_", np.arange(X.shape[1]))


def _shuffled(X: Any, columns: NDArray, rng: np.random.RandomState) -> Any:
    """A copy of X in which the rows of these columns are in one random order."""
    order = rng.permutation(len(X))
    shuffled = X.copy()
    if not _is_frame(X):
        shuffled[:, columns] = X[np.ix_(order, columns)]
        return shuffled
    for column in columns:  # one by one, so that each keeps its dtype
        shuffled.isetitem(column, X.iloc[order, column].array)
    return shuffled
