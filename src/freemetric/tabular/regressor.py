"""TableRegressor: the model of a table with numbers to predict, as a scikit-learn estimator on frames."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin, is_regressor
from sklearn.utils.metaestimators import available_if

from ..ensemble import FreeEnergyRegressor
from ..learners import MetricKNeighborsRegressor
from ..magnitudes import r2
from .frame_cells import cells
from .frame_labels import frame_target
from .frames import FrameTable
from .learned_table import inner_can
from .model import by_parts
from .reading import MISSING
from .table_estimator import CONSTRAINTS, INNER, TableEstimator
from .targets import numbers_of
from .truths import marks_of_target


class TableRegressor(RegressorMixin, TableEstimator):
    """Predict a number for the rows of a table as it is: numbers, names, dates, truth values, text and gaps.

    What ``freemetric fit --task regress`` does with a file, on frames, as :class:`TableClassifier` does it for classes:
    the same columns become the same features of [0, 1], and are given to a regressor. Columns are matched by name when
    it predicts. X may be all that :class:`TableClassifier` takes.

    Parameters
    ----------
    regressor : estimator or None, default=None
        What learns from the features; k-NN follows one that is a metric learner, such as :class:`MLKR`. None is
        ``FreeEnergyRegressor()``.
    drop : list of str, default=()
        Columns to leave out.
    keep : list of str, default=()
        Columns to use although they seem to name the rows.
    numeric, nominal : list of str, default=()
        Columns whose kind is given.
    missing : list of str or None, default=None
        Texts that stand for a gap; None: "", "?", "NA", "nan", ..., as in files.
    decimal : {".", ","} or None, default=None
        Mark before the decimals of numbers in texts; None recognises it where there is one meaning only.
    thousands : {".", ",", "'", " ", ""} or None, default=None
        Mark between groups of three digits.
    date_order : {"ymd", "dmy", "mdy"} or None, default=None
        Of year, month and day of dates in texts.
    random_state : int, RandomState or None, default=None
        Seed of the regressor and its parts, where they have none of their own.

    Attributes
    ----------
    model_ : TableModel
        The pipeline, what the columns are, and notes. ``freemetric predict`` and the other commands take its file.
    columns_ : list of str
        What the columns are called, x0, x1, ... where X has no names.
    n_features_in_ : int
        Columns seen in fit, without the one to predict.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any and all are texts.

    See Also
    --------
    freemetric.TableClassifier : For classes.
    freemetric.tabular.TableModel : The same from files.
    freemetric.FreeEnergyRegressor : For tables of numbers alone.

    Examples
    --------
    >>> import pandas as pd
    >>> from freemetric import MLKR, TableRegressor
    >>> areas, towns = [20 + 1.5 * i for i in range(40)], ["Rome", "Bonn", None, "Rome"] * 10
    >>> homes = pd.DataFrame({"area": areas, "town": towns})
    >>> model = TableRegressor(MLKR(), random_state=0).fit(homes, [100 + 2 * area for area in areas])
    >>> bool(abs(model.predict(homes[20:21])[0] - 200) < 5)
    True
    """

    _parameter_constraints: dict = {"regressor": INNER, **CONSTRAINTS}
    _inner, _usual, _k_nn = "regressor", FreeEnergyRegressor, MetricKNeighborsRegressor

    def __init__(
        self,
        regressor=None,
        *,
        drop=(),
        keep=(),
        numeric=(),
        nominal=(),
        missing=None,
        decimal=None,
        thousands=None,
        date_order=None,
        random_state=None,
    ):
        super().__init__(
            drop=drop,
            keep=keep,
            numeric=numeric,
            nominal=nominal,
            missing=missing,
            decimal=decimal,
            thousands=thousands,
            date_order=date_order,
            random_state=random_state,
        )
        self.regressor = regressor

    def _can_predict(self, estimator):
        return is_regressor(estimator)

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Understand the columns and learn the numbers.

        Parameters
        ----------
        X : frame, array or list of rows, of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,), or str
            Numbers, also in texts, written as ``decimal`` and ``thousands`` say or as they can be read in one way only;
            or the name of a column of X that holds them. Rows without one (None, NaN, NA) are left out, with a warning.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Importance of the rows, if the regressor can weigh them.

        Returns
        -------
        self : object
            The fitted regressor.
        """
        name, column = self._column(X, y)
        self._learn(X, name, column, lambda table: numbers_of(table, name), sample_weight)
        return self

    def _column(self, X, y):
        """The name of the target, and its cells as a table holds them."""
        name, values = frame_target(X, y)
        return name, cells(values, MISSING if self.missing is None else self.missing, "y")

    @property
    def regressor_(self) -> Any:
        """The fitted regressor, on the features that ``features`` makes of a table."""
        return self.model_.pipeline[-1]

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number of every row.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.

        Returns
        -------
        y : ndarray of shape (n_rows,)
            Expected numbers.
        """
        return by_parts(self.frame(X), self.pipeline_.predict)

    @available_if(inner_can("predict_quantiles"))
    def predict_quantiles(self, X: Any, q: ArrayLike = (0.1, 0.5, 0.9)) -> NDArray[np.float64]:
        """Numbers that the target is below with given chances.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.
        q : float or array-like of shape (n_quantiles,), default=(0.1, 0.5, 0.9)
            Chances, between 0 and 1.

        Returns
        -------
        Q : ndarray of shape (n_rows, n_quantiles)
            Quantiles; (n_rows,) where q is one number.
        """
        return self._asked(X, lambda features: self.regressor_.predict_quantiles(features, q))

    @available_if(inner_can("predict_interval"))
    def predict_interval(self, X: Any, alpha: float = 0.1) -> NDArray[np.float64]:
        """Intervals that hold the number of a row with a chance of 1 - alpha.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.
        alpha : float, default=0.1
            Share of intervals that may miss, between 0 and 1.

        Returns
        -------
        I : ndarray of shape (n_rows, 2)
            Lower and upper ends; see :meth:`freemetric.FreeEnergyRegressor.predict_interval`.
        """
        return self._asked(X, lambda features: self.regressor_.predict_interval(features, alpha))

    def _asked(self, X, answer):
        return by_parts(self.frame(X), lambda part: answer(self.pipeline_[:-1].transform(part)))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """R^2 of the rows that have a number.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.
        y : array-like of shape (n_rows,), or str
            Numbers, or the name of a column of X.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Importance of the rows.

        Returns
        -------
        score : float
            R^2.
        """
        numbers, predicted = self._told(X, y), self.predict(X)
        present = ~np.isnan(numbers)
        weights = None if sample_weight is None else np.asarray(sample_weight)[present]
        return r2(numbers[present], predicted[present], weights)

    def _told(self, X, y):
        """Numbers (n_rows,), NaN where there is none."""
        name, column = self._column(X, y)
        table: FrameTable = self.table(X)
        return table.with_target(name, column).numbers(name, marks_of_target(self.model_))
