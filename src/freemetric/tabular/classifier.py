"""TableClassifier: the model of a table as a scikit-learn estimator on frames."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
    is_classifier,
)
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..files import Savable
from ..files.checks import require
from ..files.estimators import check_attributes
from ..learners import FreeEnergyClassifier, MetricKNeighborsClassifier
from ..learners.learned_space import LearnedSpace
from ..learners.training_rows import check_weights
from ..sklearn_compat import HasMethods, StrOptions, validate_params
from .frame_labels import frame_labels
from .frames import FrameTable, as_table, column_name
from .identifiers import usable
from .labels import check_two
from .learned_table import LearnedTable, inner_can
from .model import TableModel, by_parts
from .table import InputError
from .targets import class_target

KINDS = ("drop", "keep", "numeric", "nominal")
MAPPING = ("embed", "transform", "learner_")  # one of which a classifier with a distance has
WRITTEN = ("missing", "decimal", "thousands", "date_order")


class TableClassifier(
    Savable, LearnedTable, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClassifierMixin, BaseEstimator
):
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

    _parameter_constraints: dict = {
        "classifier": [HasMethods("fit"), None],
        **{kind: [list, tuple] for kind in KINDS},
        "missing": [list, tuple, None],
        "decimal": [StrOptions({".", ","}), None],
        "thousands": [StrOptions({".", ",", "'", " ", ""}), None],
        "date_order": [StrOptions({"ymd", "dmy", "mdy"}), None],
        "random_state": ["random_state"],
    }

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
        self.drop = drop
        self.keep = keep
        self.numeric = numeric
        self.nominal = nominal
        self.missing = missing
        self.decimal = decimal
        self.thousands = thousands
        self.date_order = date_order
        self.random_state = random_state

    def set_params(self, **params: Any) -> Self:
        """Set parameters, ``classifier__...`` of the usual classifier where none was given.

        Parameters
        ----------
        **params : dict
            Values by name.

        Returns
        -------
        self : object
            This estimator.
        """
        if self.classifier is None and any(name.startswith("classifier__") for name in params):
            self.classifier = FreeEnergyClassifier()
        return super().set_params(**params)

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
        validate_params(self)
        table, labels, last = self.table(X), frame_labels(X, y), self.made_classifier()
        if table.n_rows != len(labels.present):
            raise InputError(f"X has {table.n_rows} rows, and y has {len(labels.present)} labels")
        if table.n_rows < 2:
            raise InputError("X has 1 sample, and a minimum of 2 is required")
        check_two(table.source, labels.name, labels.y.tolist())
        weights = self._weights(table, last, sample_weight)
        with_class = table.with_target(labels.name, labels.cells)
        kinds = {kind: [column_name(name) for name in getattr(self, kind)] for kind in KINDS}
        schema, unusable = usable(with_class, labels.name, **kinds)
        about = {"method": _called(last), "file": f"a {type(X).__name__}", "seed": _seed(last)}
        target = class_target(with_class, labels.name, labels.y, labels.present)
        self.model_ = TableModel.learned(with_class, schema, unusable, last, target, weights, about=about)
        self._keep_names([name for name in table.columns if name != labels.name], table.names_are_texts)
        self.classes_ = self.model_.pipeline.classes_
        return self

    def _keep_names(self, names, are_texts):
        self.columns_, self.n_features_in_ = names, len(names)
        if are_texts:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def made_classifier(self) -> Any:
        """What a fit would fit last."""
        made = FreeEnergyClassifier() if self.classifier is None else clone(self.classifier)
        made = made if is_classifier(made) else MetricKNeighborsClassifier(made)
        seeds = [name for name in made.get_params() if name.split("__")[-1] == "random_state"]
        return made.set_params(**{name: self.random_state for name in seeds if made.get_params()[name] is None})

    def _weights(self, table: FrameTable, last: Any, sample_weight: Any) -> NDArray | None:
        if sample_weight is None:
            return None
        if not has_fit_parameter(last, "sample_weight"):
            raise InputError(f"{type(last).__name__} cannot weigh rows; FreeEnergyClassifier can")
        return check_weights(sample_weight, np.empty((table.n_rows, 1)))

    def table(self, X: Any, names: Any = None, by_place: bool = False) -> FrameTable:
        """What is understood of X; ``names`` are those of its columns where it has none, or ``by_place`` anyway."""
        return as_table(X, names=names, by_place=by_place, **{name: getattr(self, name) for name in WRITTEN})

    def frame(self, X: Any) -> Any:
        """The columns that the model needs as a DataFrame of numbers and names, dates as several numbers.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``; one without names has them in the same order.

        Returns
        -------
        DataFrame
        """
        check_is_fitted(self)
        return self.model_.matched(self._matched(self.table(X, self.columns_), X), self.columns_)

    def _matched(self, table: FrameTable, X: Any) -> FrameTable:
        """The table by the names of fit, or by places where one of the two has no names."""
        known = hasattr(self, "feature_names_in_")
        if table.named and (known or set(self.columns_) <= set(table.columns)):
            return table
        if len(table.columns) != self.n_features_in_:
            what = f"X has {len(table.columns)} features, but {type(self).__name__} is expecting {self.n_features_in_}"
            raise InputError(f"{what} features as input")
        if known:
            said = f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names"
            warnings.warn(said, stacklevel=4)
        return self.table(X, self.columns_, by_place=True)

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

    def transform(self, X: Any) -> NDArray:
        """Rows in the space where the learned distance is Euclidean.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.

        Returns
        -------
        Z : ndarray of shape (n_rows, n_components)
            Coordinates.
        """
        frame = self.frame(X)
        if not any(hasattr(self.classifier_, name) for name in MAPPING):
            raise TypeError(f"{type(self.classifier_).__name__} has learned no distance to map by.")
        return self.model_.embedded(frame)

    @property
    def _n_features_out(self) -> int:
        return len(LearnedSpace(self.pipeline_).learner.get_feature_names_out())

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

    def check_state(self) -> None:
        """ValueError unless what was fitted belongs together; asked of every model that is saved or loaded."""
        check_attributes(self, ("model_", "columns_", "classes_", "n_features_in_"))
        if hasattr(self, "model_"):
            require(type(self.model_) is TableModel, "model_ of TableClassifier", "is something else")
            same = np.array_equal(self.classes_, self.model_.pipeline.classes_)
            require(same, "classes_ of TableClassifier", "are not those of its pipeline")
            names = self.columns_
            texts = type(names) is list and all(type(name) is str for name in names)
            known = texts and {column.name for column in self.model_.schema.columns} <= set(names)
            require(known and len(names) == self.n_features_in_, "columns_ of TableClassifier", "are something else")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags


def _called(last: Any) -> str:
    """The classifier in words: of a learner that k-NN follows, the learner."""
    return type(getattr(last, "learner", last)).__name__


def _seed(last: Any) -> int | None:
    seed = last.get_params(deep=False).get("random_state")
    return int(seed) if isinstance(seed, int | np.integer) else None
