"""DaskFreeEnergyClassifier: voters that stay in the partitions of Dask arrays and dataframes."""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..ensemble import FreeEnergyClassifier
from ..ensemble.tasks.classification import ClassificationHead
from ..learners.validation import warn_of_classes
from .model import DaskFreeEnergyModel
from .partitioned_targets import FarVoters
from .partitions import is_dask, labels, target_blocks


class DaskFreeEnergyClassifier(DaskFreeEnergyModel, FreeEnergyClassifier):
    """FreeEnergyClassifier on Dask arrays and dataframes, whose rows need not fit one machine.

    The search sees a stratified sample of the rows, as that of :class:`freemetric.FreeEnergyClassifier` does, and its
    tasks run on the workers. All rows vote, and they stay where they are: every partition finds the nearest of its own
    rows for a block of queries, in the space of every replica, and the votes are counted when all have answered. For
    the same data and ``random_state`` the model is that of one process, whatever the chunks and the number of workers.

    Without a ``dask.distributed.Client`` Dask's default scheduler is used, and joblib's threads for the search.

    Parameters are those of :class:`freemetric.FreeEnergyClassifier`. ``shortlist`` counts rows of every partition, or
    of every 65,535 rows of a larger one, so that more are asked than in one process; None asks all rows, which is
    exact. ``n_jobs`` counts only without a client, and votes are counted on the CPU whatever the ``device``.

    Attributes
    ----------
    ensemble_ : Ensemble
        The metrics and their weights, with the rows of the sample as voters: for displays, reports, ``embed`` and
        ``votes``. ``to_local`` gives one with all rows.
    n_rows_ : int
        Rows with a label, all of which vote.

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

    local = FreeEnergyClassifier

    def _target_blocks(self, y):
        return target_blocks(y, labels)

    def _far_rows(self, X, y):
        training_set = FarVoters(X, y, self.n_features_in_)
        self.classes_ = training_set.classes
        return training_set

    def _warn_about(self, panel):
        warn_of_classes(panel.X, panel.y, self.classes_, getattr(self, "feature_names_in_", None))

    def _n_given(self, is_local):
        return int(self._training_set.starts[-1]) if is_local else None

    def _read(self):
        return partial(probabilities_of, self._head())

    def predict_proba(self, X: Any) -> Any:
        """Calibrated class probabilities.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), dask dataframe or array-like
            Patterns.

        Returns
        -------
        P : dask array of shape (n_samples, n_classes)
            Rows sum to one; columns follow ``classes_``. A numpy array where X is nothing of Dask's.
        """
        check_is_fitted(self)
        return self._answers(X, len(self.classes_))

    def predict(self, X: Any) -> Any:
        """The class of the largest probability.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), dask dataframe or array-like
            Patterns.

        Returns
        -------
        y : dask array of shape (n_samples,)
            Labels. A numpy array where X is nothing of Dask's.
        """
        probabilities = self.predict_proba(X)
        if not is_dask(probabilities):
            return self.classes_[probabilities.argmax(axis=1)]
        classes = self.classes_
        return probabilities.map_blocks(lambda P: classes[P.argmax(axis=1)], drop_axis=1, dtype=classes.dtype)

    def predict_set(self, X: Any, alpha: float = 0.1) -> Any:
        """The out-of-bag votes are with the rows: ``to_local().predict_set(X, alpha)`` gathers them first."""
        raise ValueError("This model keeps no out-of-bag votes; to_local().predict_set(X) gathers them first.")

    def score(self, X: Any, y: Any) -> float:
        """Share of the rows whose class is predicted.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features), dask dataframe or array-like
            Patterns.
        y : dask array of shape (n_samples,), dask series or array-like
            Their classes, in partitions of the same rows.

        Returns
        -------
        score : float
            Accuracy.
        """
        if not is_dask(X):
            return super().score(X, y)
        right = self._compared(X, y, partial(are_right, self.classes_))
        return float(np.concatenate(right).mean())

    def partial_fit(self, *args: Any, **options: Any) -> Self:
        """More rows come by ``to_local().partial_fit(X, y)``, or by a fit of all."""
        raise ValueError("This model learns all rows at once; to_local().partial_fit(X, y) adds more where they fit.")


def probabilities_of(head: ClassificationHead, shares: NDArray, queries: NDArray) -> NDArray[np.float64]:
    """Class probabilities (n, C) of queries that got these shares of all votes."""
    return head.answers(shares, head.wholes(queries))


def are_right(classes: NDArray, probabilities: NDArray, y: NDArray) -> NDArray[np.bool_]:
    """Which labels y (n,) are those of the largest probabilities (n, n_classes)."""
    return classes[probabilities.argmax(axis=1)] == y
