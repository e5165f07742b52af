"""Classifier and regressor whose training samples stay in Dask's partitions: fit, predictions, gathering."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from joblib import parallel_config
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..ensemble import FreeEnergyClassifier, FreeEnergyRegressor
from ..ensemble.base import FreeEnergyModel
from ..ensemble.conformal import check_alpha
from ..ensemble.finish import finish_fit
from ..ensemble.running import given_recipe, run_to_the_end
from ..ensemble.settings import recipe_of
from ..ensemble.tasks.intervals import check_chances, interval_chances
from ..ensemble.tasks.regression import Prediction, RegressionHead, RegressionTask
from ..ensemble.tasks.scales import RegressionScore
from ..extras import require
from ..learners.base import one_blas_thread
from ..learners.validation import check_n_components, has_columns, warn_of_samples
from ..magnitudes import r2
from ..sklearn_compat import validate_params, with_callbacks
from .partition_index import PartitionedIndex, Spaces
from .partitioned_samples import PartitionedClasses, PartitionedLabels, PartitionedSamples, PartitionedTargets
from .partitions import check_not_lost, feature_blocks, is_dask, known_lengths, labels_of, target_blocks, targets_of

ATTRIBUTES = ("classes_", "n_features_in_", "feature_names_in_")  # not of the search


class DaskFreeEnergyModel(FreeEnergyModel):
    """Fit, prediction and gathering on partitions; subclasses define the votes of samples and how they are read."""

    _local: ClassVar[type]  # the model of one process
    _targets: Callable[[Any], list]  # of y
    _read_votes: Callable[[Any, NDArray, NDArray], NDArray]  # head, shares of votes, queries -> predictions; on workers
    _partitioned: Callable[..., PartitionedSamples]  # blocks of X and y, whether there are several targets
    _training_set: Any

    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:
        """Sample the metrics and weigh them.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features) or dask dataframe
            Features, kept in the memory of the workers. An array or a frame of this process is one partition.
        y : dask array of shape (n_samples,) or dask series
            Targets, in partitions of the same rows as those of X; several columns of labels for classification.

        Returns
        -------
        self : object
            The fitted model.
        """
        validate_params(self)
        blocks = feature_blocks(self, X, reset=True)
        self._training_set = training_set = self._partitioned(blocks, self._targets(y), has_columns(y))
        self.n_rows_ = len(training_set)
        are_few = self.n_rows_ <= given_recipe(self, self.n_rows_).most_searched
        task = self._task(training_set)
        search = self._search(training_set.only(np.arange(self.n_rows_)) if are_few else training_set, task)
        searched = search.problem.training_set
        check_n_components(search.recipe.n_components, searched.X)
        with _on_the_cluster():
            run_to_the_end(search, self)
        n_rows = None if is_classifier(self) else len(training_set)  # None: no attributes with an entry for each row
        self.__dict__.update(finish_fit(search, searched, n_rows, training_set.n_parts))
        self._ended_search = search
        spaces, indices = Spaces.of(self.ensemble_), list(training_set.indices())
        read = partial(self._read_votes, self.ensemble_.head)
        self._index = PartitionedIndex(spaces, indices, self._n_looked_at, read)
        return self

    def _predictions(self, X: Any, width: int) -> Any:
        """Predictions (n, width) as ``_read_votes`` makes them, of Dask if X is."""
        check_is_fitted(self)
        self._index.check()
        array = require("dask.array", "dask")
        if is_dask(X):
            blocks = feature_blocks(self, X, reset=False)
            lengths = known_lengths(X, blocks)
        else:
            samples = self._samples(X)
            blocks, lengths = [self._index.dask.delayed(samples, traverse=False)], [len(samples)]
        parts = [part for block, n in zip(blocks, lengths, strict=True) for part in self._index.predictions(block, n)]
        made = [array.from_delayed(part, (n, width), dtype=np.float64) for n, part in parts]
        predictions = array.concatenate(made) if made else array.empty((0, width))
        return predictions if is_dask(X) else predictions.compute()

    def _gathered(self, X: Any, y: Any) -> tuple[NDArray, NDArray]:
        """Targets and predictions (n,) or (n, m), in this process."""
        targets = self._targets(y)
        predicted, *parts = require("dask", "dask").compute(self.predict(X), *targets)
        y = np.concatenate(parts)
        check_consistent_length(y, predicted)
        if y.shape != predicted.shape:
            raise ValueError(f"y must have the shape {predicted.shape}, got {y.shape}.")
        if not len(y):
            raise ValueError("X has no rows.")
        return y, predicted

    def to_local(self) -> Any:
        """The FreeEnergyClassifier or FreeEnergyRegressor that one process would have fitted, with all samples here.

        It can be saved, exported, explained, and used without Dask.
        """
        check_is_fitted(self)
        check_not_lost(*self._training_set.blocks)
        training_set = self._training_set.only(np.arange(len(self._training_set)))
        model = self._local(**self.get_params(deep=False))
        known = {name: getattr(self, name) for name in ATTRIBUTES if hasattr(self, name)}
        n_rows = int(self._training_set.starts[-1])
        model.__dict__.update(known | finish_fit(self._ended_search, training_set, n_rows))
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False  # means of gaps would need all partitions
        return tags

    def save(self, path: Any, about: dict[str, Any] | None = None) -> None:
        """Raise ValueError: ``to_local().save(path)`` gathers the training samples first."""
        raise ValueError("The training samples live in Dask partitions; to_local().save(path) gathers them first.")


def _on_the_cluster():
    """joblib through Dask's client if there is one, else as it is set."""
    try:
        client = require("distributed", "dask").default_client()
    except (ImportError, ValueError):
        return nullcontext()
    return parallel_config(backend="dask", client=client)


def _probabilities_of(head, shares, queries):
    """Class probabilities (n, C) of queries with these shares of all votes."""
    return head.answers(shares, head.wholes(queries))


def _predictions_of(head, shares, queries):
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
    _targets = staticmethod(partial(target_blocks, read=labels_of, several=True))
    _read_votes = staticmethod(_probabilities_of)

    def _partitioned(self, X, y, several):
        training_set: Any = (PartitionedLabels if several else PartitionedClasses)(X, y, self.n_features_in_)
        self.classes_ = training_set.classes
        return training_set

    def predict_proba(self, X: Any) -> Any:
        return self.ensemble_.head.separate(self._probabilities(X))

    def _probabilities(self, X):
        """Probabilities (n, n_cells), those of several outputs side by side."""
        check_is_fitted(self)
        return self._predictions(X, self.ensemble_.training_set.n_cells)

    def predict(self, X: Any, costs: ArrayLike | None = None, reject: float | None = None) -> Any:
        if reject is not None:
            raise ValueError("This model keeps its samples in partitions; to_local().predict(X, reject=...) rejects.")
        probabilities, decide, separate = self._probabilities(X), self._decide(costs), self.ensemble_.head.separate
        if not is_dask(probabilities):
            return decide(separate(probabilities))
        if self.n_outputs_ == 1:
            return probabilities.map_blocks(decide, drop_axis=1, dtype=self.classes_.dtype)
        chunks, dtype = (probabilities.chunks[0], (self.n_outputs_,)), np.result_type(*self.classes_)
        return probabilities.map_blocks(lambda P: decide(separate(P)), chunks=chunks, dtype=dtype)

    def predict_set(
        self, X: Any, alpha: float = 0.1, *, coverage: str = "class", groups: Any = None, shift: Any = None
    ) -> Any:
        """Raise ValueError: ``to_local().predict_set(X, alpha)`` has the out-of-bag votes."""
        raise ValueError("This model keeps no out-of-bag votes; to_local().predict_set(X) gathers them first.")

    def risk_certificate(self, delta: float = 0.05, loss: str = "error") -> Any:
        """Raise ValueError: ``to_local().risk_certificate(delta, loss)`` has all samples."""
        raise ValueError("A certificate needs all samples in this process; to_local().risk_certificate() gathers them.")

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy of the predictions for X, of several labels the share of samples with all right.

        Labels and predictions come to this process.
        """
        known, predicted = self._gathered(X, y)
        if predicted.ndim == 2:
            known, predicted = np.ones(len(known), dtype=bool), (predicted == known).all(axis=1)
        return float(accuracy_score(known, predicted, sample_weight=sample_weight))

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
    _targets = staticmethod(partial(target_blocks, read=targets_of))
    _read_votes = staticmethod(_predictions_of)

    def _partitioned(self, X, y, several):
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
