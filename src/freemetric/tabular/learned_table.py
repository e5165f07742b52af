"""What a fitted estimator of tables has learned: its parts, what they weigh, and how it is shown."""

from collections.abc import Callable
from copy import copy
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..ensemble.importances import Importances
from ..presenting import Presented
from .feature_shares import Weight
from .frame_step import FrameStep
from .model import TableModel


def inner_can(method: str) -> Callable[[Any], bool]:
    """Whether the last step has a method."""
    return lambda model: hasattr(model.pipeline_[-1] if hasattr(model, "model_") else model.made(), method)


class LearnedTable(Presented):
    """The parts of an estimator with a fitted ``model_`` that makes of a table what ``frame`` says."""

    model_: TableModel
    frame: Callable[[Any], Any]
    _told: Callable[[Any, Any], NDArray]

    @property
    def pipeline_(self) -> Pipeline:
        """Steps "columns", "scale" and "classifier" or "regressor", on what ``frame`` makes of a table."""
        return self.model_.pipeline

    @property
    def oob_score_(self) -> float:
        """The last step's own estimate from the training rows, where it has one."""
        return self.pipeline_[-1].oob_score_

    def features(self, X: Any) -> NDArray:
        """What the last step sees: features (n_rows, n_features) in [0, 1], which ``feature_names`` names."""
        return self.pipeline_[:-1].transform(self.frame(X))

    def feature_names(self) -> list[str]:
        """Names of the features that the last step sees: columns, with a value where a column is several features."""
        check_is_fitted(self)
        return self.model_.feature_names()

    def weights(self) -> list[Weight]:
        """Shares in % of the features in the squared distances of the training rows, the largest first."""
        check_is_fitted(self)
        return self.model_.weights()

    @available_if(inner_can("permutation_importances"))
    def importances(self, scoring: Any = None) -> Importances:
        """What the out-of-bag score loses when the cells of a column are shuffled, with its standard error.

        Parameters
        ----------
        scoring : str, callable or None, default=None
            A scorer; None is that of the last step.

        Returns
        -------
        importances : Importances
            ``names`` of the columns, ``mean`` and ``error``; see
            :meth:`freemetric.FreeEnergyClassifier.permutation_importances`.
        """
        check_is_fitted(self)
        found = self.model_.importances(scoring)
        assert found is not None
        return found

    def report(self, path: str | PathLike, X: Any = None, y: Any = None, **options: Any) -> Path:
        """Write a report: one HTML page about the learned space and the run, which opens without a network.

        Parameters
        ----------
        path : path-like
            File to write.
        X : frame, array or list of rows, or None, default=None
            Rows to show; None takes those that the model has kept, if any.
        y : array-like of shape (n_rows,), str or None, default=None
            Their labels or numbers, or the name of a column of X.
        **options : dict
            Those of :func:`freemetric.report.write`.

        Returns
        -------
        path : Path
            The file.
        """
        if isinstance(y, str):
            y = self._told(X, y)
        known = {"feature_names": self.feature_names(), "columns": self.model_.originals(self.frame)}
        return super().report(path, X, y, **known | options)

    def as_pipeline(self) -> Pipeline:
        """All fitted steps, from a table on: what displays and reports look into."""
        check_is_fitted(self)
        return Pipeline([("table", FrameStep(self)), *self.pipeline_.steps])

    def as_shown(self) -> Any:
        """The last step with the names of its features, for the card in a notebook."""
        shown = copy(self.pipeline_[-1])
        shown.feature_names_in_ = np.array(self.feature_names(), dtype=object)
        return shown
