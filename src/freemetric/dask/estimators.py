"""Classifier and regressor whose training samples stay in Dask's partitions."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from ..ensemble import FreeEnergyClassifier, FreeEnergyRegressor
from ..ensemble.conformal import check_alpha
from ..ensemble.running import given_recipe
from ..ensemble.settings import recipe_of
from ..ensemble.tasks.classification import ClassificationHead
from ..ensemble.tasks.intervals import check_chances, interval_chances
from ..ensemble.tasks.regression import Prediction, RegressionHead, RegressionTask
from ..ensemble.tasks.scales import RegressionScore
from ..learners.base import one_blas_thread
from ..learners.validation import warn_of_samples
from ..magnitudes import r2
from .base import DaskFreeEnergyModel
from .partitioned_samples import PartitionedClasses, PartitionedTargets
from .partitions import is_dask, labels_of, targets_of


def probabilities_of(head: ClassificationHead, shares: NDArray, queries: NDArray) -> NDArray[np.float64]:
    """Class probabilities (n, C) of queries with these shares of all votes."""
    return head.answers(shares, head.wholes(queries))


def predictions_of(head: RegressionHead, shares: NDArray, queries: NDArray) -> NDArray[np.float64]:
    """Location and spread (n, 2) of queries with these shares of all votes."""
    return np.column_stack(head(shares, head.wholes(queries)))


class DaskFreeEnergyClassifier(DaskFreeEnergyModel, FreeEnergyClassifier):
    """FreeEnergyClassifier on Dask arrays and dataframes, whose samples need not fit one machine.

    The search sees a stratified sample, as that of :class:`freemetric.FreeEnergyClassifier` does, and its tasks run on
    the workers. All training samples vote and stay in their partitions: every partition finds its nearest samples of a
    block of queries, in the space of every replica, and the votes are merged. For the same data and ``random_state``
    the model is that of one process, whatever the chunks and the number of workers. Predictions of Dask collections are
    Dask arrays, others are numpy arrays.

    Without a ``dask.distributed.Client`` Dask's default scheduler is used, and joblib's threads for the search.

    Parameters are those of :class:`freemetric.FreeEnergyClassifier`. ``Recipe.shortlist`` counts samples of every
    partition, or of every 65,535 samples of a larger one, so that more are compared than in one process; None compares
    all, which is exact. ``n_jobs`` counts only without a client, and votes are counted on the CPU whatever the
    ``device``.

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
    _read_votes = staticmethod(probabilities_of)

    def _partitioned(self, X, y):
        training_set = PartitionedClasses(X, y, self.n_features_in_)
        self.classes_ = training_set.classes
        return training_set

    def _n_given(self, is_local):
        return int(self._training_set.starts[-1]) if is_local else None

    def predict_proba(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._predictions(X, len(self.classes_))

    def predict(self, X: Any, costs: ArrayLike | None = None, reject: float | None = None) -> Any:
        if reject is not None:
            raise ValueError("This model keeps its samples in partitions; to_local().predict(X, reject=...) rejects.")
        probabilities, decide = self.predict_proba(X), self._decide(costs)
        if not is_dask(probabilities):
            return decide(probabilities)
        return probabilities.map_blocks(decide, drop_axis=1, dtype=self.classes_.dtype)

    def predict_set(
        self, X: Any, alpha: float = 0.1, *, coverage: str = "class", groups: Any = None, shift: Any = None
    ) -> Any:
        """Raise ValueError: ``to_local().predict_set(X, alpha)`` has the out-of-bag votes."""
        raise ValueError("This model keeps no out-of-bag votes; to_local().predict_set(X) gathers them first.")

    def risk_certificate(self, delta: float = 0.05, loss: str = "error") -> Any:
        """Raise ValueError: ``to_local().risk_certificate(delta, loss)`` has all samples."""
        raise ValueError("A certificate needs all samples in this process; to_local().risk_certificate() gathers them.")

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy of the predictions for X; labels and predictions come to this process."""
        return float(accuracy_score(*self._gathered(X, y), sample_weight=sample_weight))

    def partial_fit(self, *args: Any, **options: Any) -> Self:
        """Raise ValueError: ``to_local().partial_fit(X, y)`` adds samples."""
        raise ValueError("This model learns all samples at once; to_local().partial_fit(X, y) adds more, if they fit.")


class DaskFreeEnergyRegressor(DaskFreeEnergyModel, FreeEnergyRegressor):  # type: ignore[misc]
    """FreeEnergyRegressor on Dask arrays and dataframes, whose samples need not fit one machine.

    See :class:`DaskFreeEnergyClassifier` for what happens where, for the parameters and for the type of predictions.
    Trends are those of the whole training set: every partition sums over its samples. For the same data and
    ``random_state`` the metrics are those of one process, and predictions are the same up to rounding.

    The targets of all samples come to this process, and the cross-fitted predictions of trends; of the features only
    those of the search do, and few values near quantiles.

    Attributes
    ----------
    ensemble_ : Ensemble
        The metrics and their weights, the trends and the head, with the samples of the search as training set, for
        displays, reports and ``embed``; ``to_local`` returns one with the whole training set.
    n_rows_ : int
        Number of samples, all of which vote.

    See Also
    --------
    freemetric.FreeEnergyRegressor : Has all other attributes.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_diabetes
    >>> from freemetric.dask import DaskFreeEnergyRegressor
    >>> X, y = (da.from_array(part, chunks=(150, *part.shape[1:])) for part in load_diabetes(return_X_y=True))
    >>> model = DaskFreeEnergyRegressor(n_replicas=10, random_state=0).fit(X, y)
    >>> model.predict_interval(X, alpha=0.2)
    dask.array<...>
    >>> model.score(X, y) > 0.4
    True
    """

    _local = FreeEnergyRegressor
    _read_target = staticmethod(targets_of)
    _read_votes = staticmethod(predictions_of)

    def _partitioned(self, X, y):
        training_set = PartitionedTargets(X, y, self.n_features_in_)
        with one_blas_thread():
            training_set.encode(given_recipe(self, len(training_set)).trends, self.scale)
        return training_set

    def _warn_about(self, searched):
        warn_of_samples(searched.X, getattr(self, "feature_names_in_", None))

    def _task(self, training_set):
        score = RegressionScore(recipe_of(self).scoring, training_set.scale)
        return RegressionTask(training_set.encoding, training_set.trends, training_set.scale, score)

    def predict(self, X: Any) -> Any:
        return self._from_head(X, RegressionHead.means)

    def predict_quantiles(self, X: Any, q: ArrayLike = (0.1, 0.5, 0.9)) -> Any:
        chances = check_chances(q)
        Q = self._from_head(X, RegressionHead.quantiles, chances)
        return Q[:, 0] if np.ndim(q) == 0 else Q

    def predict_interval(self, X: Any, alpha: float = 0.1, *, groups: Any = None, shift: Any = None) -> Any:
        check_alpha(alpha, "intervals without the target")
        if groups is not None or shift is not None:
            raise ValueError("Intervals by groups or under a shift are those of to_local().predict_interval(X).")
        check_is_fitted(self)
        chances = interval_chances(len(self.ensemble_.head.errors), alpha)
        return self._from_head(X, RegressionHead.quantiles, chances)

    def _from_head(self, X, what, *chances):
        """Values (n,) of a method of the head, or (n, n_chances) for some chances; of Dask if X is."""
        predictions, head = self._predictions(X, 2), self.ensemble_.head

        def read(known):
            return what(head, Prediction(*known.T), *chances)

        if not is_dask(predictions):
            return read(predictions)
        if not chances:
            return predictions.map_blocks(read, drop_axis=1, meta=np.empty(0))
        return predictions.map_blocks(read, chunks=(predictions.chunks[0], (len(*chances),)), meta=np.empty((0, 0)))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """R^2 of the predictions for X; targets and predictions come to this process."""
        return r2(*self._gathered(X, y), sample_weight)
