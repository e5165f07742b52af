"""Fit and prediction of free-energy models whose training samples stay in Dask partitions."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..ensemble.base import FreeEnergyModel
from ..ensemble.finish import finish_fit
from ..ensemble.running import given_recipe, run_to_the_end
from ..extras import require
from ..learners.validation import check_n_components
from ..sklearn_compat import validate_params, with_callbacks
from .partition_index import PartitionedIndex, Spaces
from .partitioned_samples import PartitionedSamples
from .partitions import Block, check_not_lost, feature_blocks, is_dask, known_lengths, target_blocks

ATTRIBUTES = ("classes_", "n_features_in_", "feature_names_in_")  # not of the search


class DaskFreeEnergyModel(FreeEnergyModel):
    """Fit, prediction and gathering on partitions; subclasses define the votes of samples and how they are read."""

    _local: ClassVar[type]  # the model of one process
    _read_target: Callable[[Any, int], NDArray]  # of one partition
    _training_set: Any

    _read_votes: Callable[[Any, NDArray, NDArray], NDArray]  # head, shares of votes, queries -> predictions; on workers

    def _partitioned(self, X: Sequence[Block], y: Sequence[Block]) -> PartitionedSamples:
        """The training samples of these partitions."""
        raise NotImplementedError

    def _n_given(self, is_local: bool) -> int | None:
        """Rows given to fit; None if attributes with an entry for each row are left out."""
        return len(self._training_set)

    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:
        """Sample the metrics and weigh them.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features) or dask dataframe
            Features, kept in the memory of the workers. An array or a frame of this process is one partition.
        y : dask array of shape (n_samples,) or dask series
            Targets, in partitions of the same rows as those of X.

        Returns
        -------
        self : object
            The fitted model.
        """
        validate_params(self)
        blocks = feature_blocks(self, X, reset=True)
        self._training_set = training_set = self._partitioned(blocks, target_blocks(y, self._read_target))
        self.n_rows_ = len(training_set)
        few = len(training_set) <= given_recipe(self, len(training_set)).most_searched
        task = self._task(training_set)
        search = self._search(training_set.only(np.arange(len(training_set))) if few else training_set, task)
        searched = search.problem.training_set
        check_n_components(search.recipe.n_components, searched.X)
        with on_the_cluster():
            run_to_the_end(search, self)
        n_rows, n_shortlists = self._n_given(is_local=False), training_set.n_parts
        for name, value in finish_fit(search, searched, n_rows, n_shortlists).items():
            setattr(self, name, value)
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
        """Targets and predictions (n,), in this process."""
        targets = target_blocks(y, self._read_target)
        predicted, *parts = require("dask", "dask").compute(self.predict(X), *targets)
        y = np.concatenate(parts)
        check_consistent_length(y, predicted)
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
        attributes = finish_fit(self._ended_search, training_set, self._n_given(is_local=True))
        for name, value in (known | attributes).items():
            setattr(model, name, value)
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False  # means of gaps would need all partitions
        return tags

    def save(self, path: Any, about: dict[str, Any] | None = None) -> None:
        """Raise ValueError: ``to_local().save(path)`` gathers the training samples first."""
        raise ValueError("The training samples live in Dask partitions; to_local().save(path) gathers them first.")


def on_the_cluster() -> AbstractContextManager:
    """joblib through Dask's client if there is one, else as it is set."""
    try:
        client = require("distributed", "dask").default_client()
    except (ImportError, ValueError):
        return nullcontext()
    return parallel_config(backend="dask", client=client)
