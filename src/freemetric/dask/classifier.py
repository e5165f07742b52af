"""DaskFreeEnergyClassifier: voters that stay in the partitions of Dask arrays and dataframes."""

from contextlib import AbstractContextManager, nullcontext
from os import PathLike
from typing import Any, Self

import numpy as np
from joblib import parallel_config
from sklearn.utils.validation import check_is_fitted

from ..extras import require
from ..learners import FreeEnergyClassifier
from ..learners.base import one_blas_thread
from ..learners.checks import check_n_components, warn_about
from ..learners.free_energy.description import describe, describe_judges
from ..learners.free_energy.given import given_recipe, run_to_the_end
from ..learners.free_energy.verdict import verdict_on
from ..metrics.precincts import Spaces
from ..sklearn_compat import validate_params, with_callbacks
from .far_voters import FarVoters
from .partitions import is_dask, known_lengths, label_blocks, pattern_blocks
from .polling import FarPoll, n_right


class DaskFreeEnergyClassifier(FreeEnergyClassifier):
    """FreeEnergyClassifier on Dask arrays and dataframes, whose rows need not fit one machine.

    The search sees a stratified sample of the rows, as that of :class:`freemetric.FreeEnergyClassifier` does, and its
    tasks run on the workers. All rows vote, and they stay where they are: every partition finds the nearest of its own
    rows for a block of queries, in the space of every replica, and the votes are counted when all have answered. For
    the same data and ``random_state`` the model is that of one process, whatever the chunks and the number of workers.

    Without a ``dask.distributed.Client`` Dask's default scheduler is used, and joblib's threads for the search.

    Parameters are those of :class:`freemetric.FreeEnergyClassifier`. ``shortlist`` counts rows of every partition, or
    of every 65,535 rows of a larger one; None asks all rows, which is exact. ``n_jobs`` counts only without a client,
    and votes are counted on the CPU whatever the ``device``.

    Attributes
    ----------
    committee_ : Committee
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

    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]
        """Sample the metrics and weigh them.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features) or dask dataframe
            Patterns. They are kept in the memory of the workers.
        y : dask array of shape (n_samples,) or dask series
            Class labels, of any type, in partitions of the same rows as those of X; among integers -1 means unlabelled
            where there are two other classes.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        validate_params(self)
        blocks = pattern_blocks(self, X, reset=True)
        voters = FarVoters(blocks, label_blocks(y), self.n_features_in_)
        self.classes_, self.n_rows_ = voters.classes, len(voters)
        few = len(voters) <= given_recipe(self, len(voters)).most_searched
        search = self._search(voters.only(np.arange(len(voters))) if few else voters)
        panel = search.problem.voters
        decision = self._decision(panel)
        check_n_components(self.n_components, panel.X)
        warn_about(panel.X, panel.y, self.classes_, getattr(self, "feature_names_in_", None))
        with on_the_cluster():
            run_to_the_end(search, self)
        with one_blas_thread():  # many small problems, for which threads only wait
            verdict = verdict_on(search.population, search.recipe, decision)
        for name, value in describe(search, verdict, panel).items():
            setattr(self, name, value)
        self._voters, self._found = voters, (search, verdict)
        size = self.shortlist_ if self.shortlist == "auto" else self.shortlist
        self._poll = FarPoll(Spaces.of(self.committee_), list(voters.precincts()), size)
        return self

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
        array = require("dask.array", "dask")
        if not is_dask(X):
            return self.predict_proba(array.from_array(self._patterns(X), chunks=(self._poll.block, -1))).compute()
        parts = [part for parts in self._by_partition(X) for part in parts]
        C = len(self.classes_)
        blocks = [array.from_delayed(block, (n, C), dtype=np.float64) for n, block in parts]
        return array.concatenate(blocks) if blocks else array.empty((0, C))

    def _by_partition(self, X):
        """For every partition of X its delayed probabilities, block by block."""
        blocks = pattern_blocks(self, X, reset=False)
        lengths = known_lengths(X, blocks)
        return [self._poll.probabilities(block, n) for block, n in zip(blocks, lengths, strict=True)]

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
        check_is_fitted(self)
        predicted, labels = self._by_partition(X), label_blocks(y)
        if len(predicted) != len(labels):
            raise ValueError(f"X has {len(predicted)} partitions, and y has {len(labels)}.")
        dask = require("dask", "dask")
        right = [
            dask.delayed(n_right)([block for _, block in blocks], self.classes_, block_of_y, number)
            for number, (blocks, block_of_y) in enumerate(zip(predicted, labels, strict=True))
        ]
        n = sum(n for blocks in predicted for n, _ in blocks)
        return sum(dask.compute(*right)) / n

    def to_local(self) -> FreeEnergyClassifier:
        """The model with all its rows in this process: to be saved, exported, explained, or used without Dask.

        Returns
        -------
        model : FreeEnergyClassifier
            As one process would have fitted it.
        """
        check_is_fitted(self)
        search, verdict = self._found
        voters = self._voters.only(np.arange(len(self._voters)))
        model = FreeEnergyClassifier(**self.get_params(deep=False))
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        judges = describe_judges(search.population, verdict, int(self._voters.starts[-1]))
        for name, value in (describe(search, verdict, voters) | judges).items():
            setattr(model, name, value)
        return model

    def partial_fit(self, *args: Any, **options: Any) -> Self:
        """More rows come by ``to_local().partial_fit(X, y)``, or by a fit of all."""
        raise ValueError("This model learns all rows at once; to_local().partial_fit(X, y) adds more where they fit.")

    def save(self, path: str | PathLike, about: dict[str, Any] | None = None) -> None:
        """A model whose rows live elsewhere has no file: ``to_local().save(path)`` gathers them first."""
        raise ValueError("The rows of this model live in Dask's partitions; to_local().save(path) gathers them first.")


def on_the_cluster() -> AbstractContextManager:
    """joblib through Dask's client where there is one, else as it is set."""
    try:
        client = require("distributed", "dask").default_client()
    except (ImportError, ValueError):
        return nullcontext()
    return parallel_config(backend="dask", client=client)
