"""TableClassifier: the model of a table as a scikit-learn estimator on frames."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, is_classifier
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if

from ..ensemble import FreeEnergyClassifier
from ..files.checks import require
from ..files.estimators import check_attributes
from ..learners import MetricKNeighborsClassifier
from .frame_labels import frame_labels
from .labels import check_two
from .learned_table import inner_can
from .model import by_parts
from .table_estimator import CONSTRAINTS, INNER, TableEstimator
from .targets import class_target


class TableClassifier(ClassifierMixin, TableEstimator):
    """Classify the rows of a table as it is: numbers, names, dates, truth values, text and gaps.

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
        Seed of the classifier and its parts, where they have none of their own.

    Attributes
    ----------
    model_ : TableModel
        The pipeline, what the columns are, and notes. ``freemetric predict`` and the other commands take its file.
    classes_ : ndarray of shape (n_classes,)
        Labels seen in fit.
    columns_ : list of str
        What the columns are called, x0, x1, ... where X has no names.
    n_features_in_ : int
        Columns seen in fit, without that of the class.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any and all are texts.

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
    >>> frame = pd.DataFrame({"size": sizes, "colour": colours}).astype({"colour": "category"})
    >>> model = TableClassifier(random_state=0).fit(frame, ["small"] * 20 + ["large"] * 20)
    >>> model.predict(pd.DataFrame({"colour": ["red", "green"], "size": [0.5, 3.5]})).tolist()
    ['small', 'large']
    """

    _parameter_constraints: dict = {"classifier": INNER, **CONSTRAINTS}
    _inner, _usual, _k_nn = "classifier", FreeEnergyClassifier, MetricKNeighborsClassifier

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
        self.classifier = classifier

    def _can_predict(self, estimator):
        return is_classifier(estimator)

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

    def predict(self, X: Any) -> NDArray:
        """The class of every row.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.

        Returns
        -------
        y : ndarray of shape (n_rows,)
            Labels.
        """
        return by_parts(self.frame(X), self.pipeline_.predict)

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
        """Share of the rows that have a label whose class is predicted.

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

    def _told(self, X, y):
        return frame_labels(X, y).y

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; asked of every model that is saved or loaded."""
        super().check_state()
        check_attributes(self, ("model_", "classes_"))
        if hasattr(self, "model_"):
            same = np.array_equal(self.classes_, self.model_.pipeline.classes_)
            require(same, "classes_ of TableClassifier", "are not those of its pipeline")
