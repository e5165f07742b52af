"""Training labels that may be wrong."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def label_quality(model: Any, y: ArrayLike) -> NDArray[np.float64]:
    """Return the out-of-bag probability of the label of each training row.

    The lowest values are the labels that are most likely wrong.

    Parameters
    ----------
    model : FreeEnergyClassifier
        A fitted model, a model of tables with one, or any classifier with
        ``oob_decision_function_``.
    y : array-like of shape (n_samples,)
        The labels that it was fitted with.

    Returns
    -------
    quality : ndarray of shape (n_samples,)
        Between 0 and 1; NaN where a row was never out of bag, or where its label is
        none of ``classes_``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from freemetric import FreeEnergyClassifier
    >>> from freemetric.inspection import label_quality
    >>> X, y = load_wine(return_X_y=True)
    >>> y[7] = 2  # it is 0
    >>> model = FreeEnergyClassifier(n_replicas=10, random_state=0).fit(X, y)
    >>> int(np.nanargmin(label_quality(model, y)))
    7
    """
    model = getattr(model, "pipeline_", [model])[-1]
    if not hasattr(model, "oob_decision_function_"):
        name = type(model).__name__
        raise TypeError(f"This needs out-of-bag probabilities, and {name} has none.")
    probabilities = model.oob_decision_function_
    labels = np.asarray(y)
    if labels.shape != (len(probabilities),):
        raise ValueError(
            f"y must hold the {len(probabilities)} labels of fit, "
            f"got shape {labels.shape}."
        )
    is_own = labels[:, None] == model.classes_
    quality = np.where(is_own, probabilities, 0.0).sum(axis=1)
    return np.where(is_own.any(axis=1), quality, np.nan)
