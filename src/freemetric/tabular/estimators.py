"""TableClassifier and TableRegressor: models of tables as scikit-learn estimators on frames."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if

from ..ensemble.classifier import FreeEnergyClassifier
from ..ensemble.regressor import FreeEnergyRegressor
from ..files.checks import require
from ..files.estimators import check_attributes
from ..magnitudes import r2
from .cells import cells
from .frame_labels import frame_labels, frame_target
from .model import by_parts
from .table import MISSING
from .table_estimator import CONSTRAINTS, INNER, TableEstimator, inner_can
from .targets import check_two, class_target, numbers_of
from .tasks import CLASSIFY, REGRESS, TASKS

SHARED_PARAMETERS = """drop : list of str, default=()
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
        Seed of the last step and its parts, where they have none of their own."""

SHARED_ATTRIBUTES = """columns_ : list of str
        What the columns are called, x0, x1, ... where X has no names.
    n_features_in_ : int
        Columns seen in fit, without the target.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any and all are texts."""


class TableClassifier(ClassifierMixin, TableEstimator):
    __doc__ = f"""Classify the rows of a table as it is: numbers, names, dates, truth values, text and gaps.

    What ``freemetric fit`` does with a file, on frames: every column is understood in the same way (numbers, names or
    dates; keys and free text are left out, with a warning that says so), turned into features of [0, 1], and given to a
    classifier. Columns are matched by name when it predicts; their order does not matter, one that is missing is an
    error, one that is new is left aside with a warning.

    X may be a DataFrame of pandas or polars, a Table of pyarrow, anything with Arrow's ``__arrow_c_stream__``, an
    array, a list of rows, or a sparse matrix within scikit-learn's ``working_memory``. None, NaN and pandas' NA and NaT
    are gaps. Categories are names even where they are numbers; truth values are names; dates become days, year, month
    and weekday, in local time where there are zones; spans and times of day become days.

    Parameters
    ----------
    classifier : estimator or None, default=None
        What learns from the features; k-NN follows one that is a metric learner. None is
        ``FreeEnergyClassifier()``.
    {SHARED_PARAMETERS}

    Attributes
    ----------
    model_ : TableModel
        The pipeline, what the columns are, and notes. ``freemetric predict`` and the other commands take its file.
    classes_ : ndarray of shape (n_classes,)
        Labels seen in fit.
    {SHARED_ATTRIBUTES}

    See Also
    --------
    freemetric.TableRegressor : For numbers.
    freemetric.tabular.TableModel : The same from files.
    freemetric.FreeEnergyClassifier : For tables of numbers alone.

    Examples
    --------
    >>> import pandas as pd
    >>> from freemetric import TableClassifier
    >>> sizes, colours = [i / 10 for i in range(40)], ["red", "green", None, "red"] * 10
    >>> frame = pd.DataFrame({{"size": sizes, "colour": colours}}).astype({{"colour": "category"}})
    >>> model = TableClassifier(random_state=0).fit(frame, ["small"] * 20 + ["large"] * 20)
    >>> model.predict(pd.DataFrame({{"colour": ["red", "green"], "size": [0.5, 3.5]}})).tolist()
    ['small', 'large']
    """

    _parameter_constraints: dict = {"classifier": INNER, **CONSTRAINTS}
    _inner, _usual, _task = "classifier", FreeEnergyClassifier, TASKS[CLASSIFY]

    def __init__(
        self,
        classifier=None,
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
        self.classifier = classifier
        self._store(drop, keep, numeric, nominal, missing, decimal, thousands, date_order, random_state)

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Understand the columns and learn the classes.

        Parameters
        ----------
        X : frame, array or list of rows, of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,), or str
            Labels: texts, whole numbers or truth values; or the name of a column of X that holds them. Rows without one
            (None, NaN, NA) are left out, with a warning.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Importance of the rows, if the classifier can weigh them.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        labels = frame_labels(X, y)

        def classes(table):
            check_two(table.source, labels.name, labels.y.tolist())
            return class_target(table, labels.name, labels.y, labels.present)

        self._learn(X, labels.name, labels.cells, classes, sample_weight)
        self.classes_ = self.model_.pipeline.classes_
        return self

    @property
    def classifier_(self) -> Any:
        """The fitted classifier, on the features that ``features`` makes of a table."""
        return self.model_.pipeline[-1]

    @available_if(inner_can("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.

        Returns
        -------
        P : ndarray of shape (n_rows, n_classes)
            Columns follow ``classes_``.
        """
        return by_parts(self.frame(X), self.pipeline_.predict_proba)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy on the rows that have a label.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.
        y : array-like of shape (n_rows,), or str
            Labels, or the name of a column of X.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Importance of the rows.

        Returns
        -------
        score : float
            Accuracy.
        """
        labels, predicted = frame_labels(X, y), self.predict(X)
        weights = None if sample_weight is None else np.asarray(sample_weight)[labels.present]
        return float(accuracy_score(labels.y, predicted[labels.present], sample_weight=weights))

    def _known_target(self, X, y):
        return frame_labels(X, y).y

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; called for every model that is saved or loaded."""
        super().check_state()
        check_attributes(self, ("model_", "classes_"))
        if hasattr(self, "model_"):
            same = np.array_equal(self.classes_, self.model_.pipeline.classes_)
            require(same, "classes_ of TableClassifier", "are not those of its pipeline")


class TableRegressor(RegressorMixin, TableEstimator):
    __doc__ = f"""Predict a number for the rows of a table as it is: numbers, names, dates, truth values, text and gaps.

    What ``freemetric fit --task regress`` does with a file, on frames, as :class:`TableClassifier` does it for classes:
    the same columns become the same features of [0, 1], and are given to a regressor. Columns are matched by name when
    it predicts. X may be all that :class:`TableClassifier` takes.

    Parameters
    ----------
    regressor : estimator or None, default=None
        What learns from the features; k-NN follows one that is a metric learner, such as :class:`MLKR`. None is
        ``FreeEnergyRegressor()``.
    {SHARED_PARAMETERS}

    Attributes
    ----------
    model_ : TableModel
        The pipeline, what the columns are, and notes. ``freemetric predict`` and the other commands take its file.
    {SHARED_ATTRIBUTES}

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
    >>> homes = pd.DataFrame({{"area": areas, "town": towns}})
    >>> model = TableRegressor(MLKR(), random_state=0).fit(homes, [100 + 2 * area for area in areas])
    >>> bool(abs(model.predict(homes[20:21])[0] - 200) < 5)
    True
    """

    _parameter_constraints: dict = {"regressor": INNER, **CONSTRAINTS}
    _inner, _usual, _task = "regressor", FreeEnergyRegressor, TASKS[REGRESS]

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
        self.regressor = regressor
        self._store(drop, keep, numeric, nominal, missing, decimal, thousands, date_order, random_state)

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

    @available_if(inner_can("predict_quantiles"))
    def predict_quantiles(self, X: Any, q: ArrayLike = (0.1, 0.5, 0.9)) -> NDArray[np.float64]:
        """Quantiles of the target.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.
        q : float or array-like of shape (n_quantiles,), default=(0.1, 0.5, 0.9)
            Probabilities, between 0 and 1.

        Returns
        -------
        Q : ndarray of shape (n_rows, n_quantiles)
            Quantiles; (n_rows,) where q is one number.
        """
        return by_parts(self.frame(X), lambda part: self.regressor_.predict_quantiles(self._features(part), q))

    @available_if(inner_can("predict_interval"))
    def predict_interval(self, X: Any, alpha: float = 0.1) -> NDArray[np.float64]:
        """Prediction intervals that hold the target of a row with a probability of 1 - alpha.

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
        return by_parts(self.frame(X), lambda part: self.regressor_.predict_interval(self._features(part), alpha))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """R^2 on the rows that have a number.

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
        numbers, predicted = self._known_target(X, y), self.predict(X)
        present = ~np.isnan(numbers)
        weights = None if sample_weight is None else np.asarray(sample_weight)[present]
        return r2(numbers[present], predicted[present], weights)

    def _known_target(self, X, y):
        """Numbers (n_rows,), NaN where there is none."""
        name, column = self._column(X, y)
        return self.table(X).with_target(name, column).numbers(name, self.model_.target_marks)
