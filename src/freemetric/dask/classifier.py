"""DaskFreeEnergyClassifier: a training set that stays in the partitions of Dask arrays and dataframes."""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from ..ensemble import FreeEnergyClassifier
from ..ensemble.tasks.classification import ClassificationHead
from ..learners.validation import warn_of_classes
from .base import DaskFreeEnergyModel
from .partitioned_samples import PartitionedClasses
from .partitions import is_dask, labels_of


class DaskFreeEnergyClassifier(DaskFreeEnergyModel, FreeEnergyClassifier):
    """FreeEnergyClassifier on Dask arrays and dataframes, whose samples need not fit one machine.

    The search sees a stratified sample, as that of :class:`freemetric.FreeEnergyClassifier` does, and its tasks run on
    the workers. All training samples vote and stay in their partitions: every partition finds its nearest samples of a
    block of queries, in the space of every replica, and the votes are merged. For the same data and ``random_state``
    the model is that of one process, whatever the chunks and the number of workers. Predictions of Dask collections are
    Dask arrays, others are numpy arrays.

    Without a ``dask.distributed.Client`` Dask's default scheduler is used, and joblib's threads for the search.

    Parameters are those of :class:`freemetric.FreeEnergyClassifier`. ``shortlist`` counts samples of every partition,
    or of every 65,535 samples of a larger one, so that more are compared than in one process; None compares all, which
    is exact. ``n_jobs`` counts only without a client, and votes are counted on the CPU whatever the ``device``.

    Attributes
    ----------
    ensemble_ : Ensemble
        The metrics and their weights, with the samples of the search as training set, for displays, reports, ``embed``
        and ``votes``; ``to_local`` returns one with the whole training set.
    n_rows_ : int
        Number of samples with a label, all of which vote.

    See Also
    --------
    freemetric.FreeEnergyClassifier : Has all other attributes, but for ``oob_decision_function_``.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_wine
    >>> from freemetric.dask import DaskFreeEnergyClassifier
    >>> X, y = (da.from_array(part, chunks=(60, *part.shape[1:])) for part in load_wine(return_X_y=True))
    >>> model = DaskFreeEnergyClassifier(n_replicas=10, random_state=0).fit(X, y)
    >>> model.predict(X)
    dask.array<...>
    >>> model.score(X, y) > 0.95
    True
    """

    _local = FreeEnergyClassifier
    _read_target = staticmethod(labels_of)

    def _partitioned(self, X, y):
        training_set = PartitionedClasses(X, y, self.n_features_in_)
        self.classes_ = training_set.classes
        return training_set

    def _warn_about(self, searched):
        warn_of_classes(searched.X, searched.y, self.classes_, getattr(self, "feature_names_in_", None))

    def _n_given(self, is_local):
        return int(self._training_set.starts[-1]) if is_local else None

    def _read_votes(self):
        return partial(probabilities_of, self.ensemble_.head)

    def predict_proba(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._predictions(X, len(self.classes_))

    def predict(self, X: Any) -> Any:
        probabilities = self.predict_proba(X)
        if not is_dask(probabilities):
            return self.classes_[probabilities.argmax(axis=1)]
        classes = self.classes_
        return probabilities.map_blocks(lambda P: classes[P.argmax(axis=1)], drop_axis=1, dtype=classes.dtype)

    def predict_set(self, X: Any, alpha: float = 0.1) -> Any:
        """Raise ValueError: ``to_local().predict_set(X, alpha)`` has the out-of-bag votes."""
        raise ValueError("This model keeps no out-of-bag votes; to_local().predict_set(X) gathers them first.")

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy of the predictions for X; labels and predictions come to this process."""
        return float(accuracy_score(*self._gathered(X, y), sample_weight=sample_weight))

    def partial_fit(self, *args: Any, **options: Any) -> Self:
        """Raise ValueError: ``to_local().partial_fit(X, y)`` adds samples."""
        raise ValueError("This model learns all samples at once; to_local().partial_fit(X, y) adds more, if they fit.")


def probabilities_of(head: ClassificationHead, shares: NDArray, queries: NDArray) -> NDArray[np.float64]:
    """Class probabilities (n, C) of queries with these shares of all votes."""
    return head.answers(shares, head.wholes(queries))
