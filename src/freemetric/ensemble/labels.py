"""Class labels as numbers."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets


def checked_labels(y):
    """Return the classes, and the number of every sample's class.

    ValueError unless there are at least two.
    """
    check_classification_targets(y)
    classes, numbers = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has 1 class, {classes[0]!r}; a classifier needs at least 2 classes."
        )
    return classes, numbers
