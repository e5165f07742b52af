"""Base class of TableClassifier and TableRegressor."""

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..ensemble.drift import Drift
from ..ensemble.importances import Importances, LazyImportances, are_kept, kept
from ..ensemble.settings import recipe_of
from ..files import Savable
from ..files.checks import require
from ..files.estimators import check_attributes
from ..learners.fitting import AtomicFit
from ..learners.learned_space import LearnedSpace
from ..learners.parameters import make_estimator
from ..learners.training_rows import check_weights
from ..presenting import Presented
from ..printable import counted
from ..sklearn_compat import HasMethods, StrOptions, validate_params
from .frames import FrameTable, as_table, column_name
from .model import TableModel, by_parts, learned
from .preprocessing import Weight, usable
from .table import InputError
from .tasks import TableTask, Target

Class = TypeVar("Class", bound=type)

KINDS = ("drop", "keep", "numeric", "nominal")
WRITTEN = ("missing", "decimal", "thousands", "date_order")
MAPPING = ("embed", "transform", "learner_")  # one of which an estimator with a distance has

Inner = Annotated[Any, HasMethods("fit"), None]
Names = Annotated[Sequence[str], list, tuple]
USUAL: dict[str, Any] = {
    "missing": Annotated[Any, list, tuple, None],
    "decimal": Annotated[str | None, StrOptions({".", ","}), None],
    "thousands": Annotated[str | None, StrOptions({".", ",", "'", " ", ""}), None],
    "date_order": Annotated[str | None, StrOptions({"ymd", "dmy", "mdy"}), None],
    "random_state": Annotated[Any, "random_state"],
}
DESCRIPTIONS = {
    "columns": """drop : list of str, default=()
        Columns to leave out.
    keep : list of str, default=()
        Columns to use although they seem to identify the rows.
    numeric, nominal : list of str, default=()
        Columns whose kind is given.
    missing : list of str or None, default=None
        Texts that stand for a gap; None: "", "?", "NA", "nan", ..., as in files.
    decimal : {".", ","} or None, default=None
        Mark before the decimals of numbers in texts; None recognises it where it is unambiguous.
    thousands : {".", ",", "'", " ", ""} or None, default=None
        Mark between groups of three digits.
    date_order : {"ymd", "dmy", "mdy"} or None, default=None
        Order of year, month and day of dates in texts.
    random_state : int, RandomState or None, default=None
        Seed of the last step and its parts, where they have none of their own.""",
    "model": """model_ : TableModel
        The pipeline, the schema and notes. ``freemetric predict`` and the other commands take its file.""",
    "names": """columns_ : list of str
        Names of the columns, x0, x1, ... where X has none.
    n_features_in_ : int
        Columns seen in fit, without the target.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has any and all are texts.""",
}


@dataclass_transform(eq_default=False)
def table_estimator(cls: Class) -> Class:
    """Give a class the constructor, the constraints and the documentation of its annotated parameters."""
    return make_estimator(cls, DESCRIPTIONS, USUAL)


def inner_can(method: str) -> Callable[[Any], bool]:
    return lambda model: hasattr(model.pipeline_[-1] if hasattr(model, "model_") else model.made(), method)


class TableEstimator(
    LazyImportances, AtomicFit, Savable, Presented, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Fits a ``model_`` of a table. Subclasses define the last step and read the target.

    ``_given_target(X, y)`` is the name of the target, its cells, and a function that reads it from the table with these
    cells; ``_known_target(X, y)`` are the targets of the rows that have one, and which rows these are.
    """

    _inner: str  # the parameter that is the last step
    _usual: type  # its default
    _task: TableTask
    _score: Callable[..., float]
    _given_target: Callable[..., tuple[str, NDArray, Callable[[FrameTable], Target]]]
    _known_target: Callable[..., tuple[NDArray, NDArray]]
    model_: TableModel
    random_state: Any

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``classifier__...`` or ``regressor__...`` are those of the default one if none was given."""
        if getattr(self, self._inner) is None and any(name.startswith(f"{self._inner}__") for name in params):
            setattr(self, self._inner, self._usual())
        return super().set_params(**params)

    def made(self) -> Any:
        """The unfitted last step."""
        given = getattr(self, self._inner)
        made = self._usual() if given is None else clone(given)
        made = made if self._task.predicts(made) else self._task.k_nn(made)
        seeds = [name for name in made.get_params() if name.split("__")[-1] == "random_state"]
        return made.set_params(**{name: self.random_state for name in seeds if made.get_params()[name] is None})

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Infer the kinds of the columns and fit the last step.

        Parameters
        ----------
        X : frame, array or list of rows, of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,), or str
            The target, or the name of a column of X that holds it. Classes are texts, whole numbers or truth values;
            the target of a regression may be texts. Rows without a target are left out, with a warning.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows, if the last step supports them.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        name, cells, read = self._given_target(X, y)
        validate_params(self)
        table, last = self.table(X), self.made()
        if table.n_rows != len(cells):
            raise InputError(f"X has {counted(table.n_rows, 'row')}, and y has {counted(len(cells), 'label')}")
        if table.n_rows < 2:
            raise InputError("X has 1 sample, and a minimum of 2 is required")
        if sample_weight is not None and not has_fit_parameter(last, "sample_weight"):
            raise InputError(f"{type(last).__name__} cannot weigh rows; {self._usual.__name__} can")
        weights = None if sample_weight is None else check_weights(sample_weight, np.empty((table.n_rows, 1)))
        with_target = table.with_target(name, cells)
        target = read(with_target)
        kinds = {kind: [column_name(name) for name in getattr(self, kind)] for kind in KINDS}
        schema, unusable = usable(with_target, name, **kinds)
        method = type(getattr(last, "learner", last)).__name__  # of a learner that k-NN follows, the learner
        seed = last.get_params(deep=False).get("random_state")
        seed = int(seed) if isinstance(seed, int | np.integer) else None
        about = {"method": method, "file": f"a {type(X).__name__}", "seed": seed, "left_out": unusable}
        self.model_ = learned(with_target, schema, last, target._replace(weights=weights), about)
        if not self.model_.predicts_numbers:
            self.classes_ = self.model_.pipeline.classes_
        self.columns_ = [column for column in table.columns if column != name]
        self.n_features_in_ = len(self.columns_)
        if table.own_names and all(isinstance(name, str) for name in table.own_names):
            self.feature_names_in_ = np.array(self.columns_, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def table(self, X: Any, names: Any = None, by_place: bool = False) -> FrameTable:
        """The table of X; ``names`` are those of its columns where it has none, or ``by_place`` anyway."""
        return as_table(X, names=names, by_place=by_place, **{name: getattr(self, name) for name in WRITTEN})

    def frame(self, X: Any) -> Any:
        """The columns that the model needs as a DataFrame of numbers and names, dates as several numbers."""
        check_is_fitted(self)
        table, name, known = self.table(X, self.columns_), type(self).__name__, hasattr(self, "feature_names_in_")
        if table.own_names is None or not (known or set(self.columns_) <= set(table.columns)):
            n, expected = len(table.columns), f"{name} is expecting {self.n_features_in_} features as input"
            if n != self.n_features_in_:
                raise InputError(f"X has {n} features, but {expected}")
            if known:
                what = f"X does not have valid feature names, but {name} was fitted with feature names"
                warnings.warn(what, stacklevel=3)
            table = self.table(X, self.columns_, by_place=True)
        return self.model_.matched(table, self.columns_)

    def predict(self, X: Any) -> NDArray:
        """Predict the target of every row.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.

        Returns
        -------
        y : ndarray of shape (n_rows,)
            Labels, or the target of a regression.
        """
        return by_parts(self.frame(X), self.pipeline_.predict)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy, or R^2 of a regression, on the rows that have a target.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.
        y : array-like of shape (n_rows,), or str
            The target, or the name of a column of X.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows.

        Returns
        -------
        score : float
            Accuracy or R^2.
        """
        (known, present), predicted = self._known_target(X, y), self.predict(X)
        weights = None if sample_weight is None else np.asarray(sample_weight)[present]
        return float(type(self)._score(known, predicted[present], sample_weight=weights))

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
        if not any(hasattr(self.pipeline_[-1], name) for name in MAPPING):
            raise TypeError(f"{type(self.pipeline_[-1]).__name__} has learned no distance to map by.")
        return self.model_.embedded(frame)

    @property
    def pipeline_(self) -> Pipeline:
        """Steps "columns", "scale" and "classifier" or "regressor", on what ``frame`` makes of a table."""
        return self.model_.pipeline

    @property
    def oob_score_(self) -> float:
        """The out-of-bag score of the last step, where it has one."""
        return self.pipeline_[-1].oob_score_

    def features(self, X: Any) -> NDArray:
        """The features (n_rows, n_features) of the last step, in [0, 1]; ``feature_names`` are their names."""
        return self.pipeline_[:-1].transform(self.frame(X))

    def feature_names(self) -> list[str]:
        """Names of the features of the last step: columns, with a value where a column is several features."""
        check_is_fitted(self)
        return self.model_.feature_names()

    def weights(self) -> list[Weight]:
        """Shares in % of the features in the squared distances of the training rows, the largest first."""
        check_is_fitted(self)
        return self.model_.weights()

    @available_if(inner_can("permutation_importances"))
    def importances(self, scoring: Any = None) -> Importances:
        """Permutation importances of the columns by the out-of-bag score.

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
        return self.model_.importances(scoring)  # type: ignore[return-value]  # which a method without them lacks

    @available_if(inner_can("drift"))
    def drift(self, X_old: Any, X_new: Any, *, n_permutations: int = 499, random_state: int = 0) -> Drift:
        """Test whether two tables differ in the learned metric, and name the columns that have changed.

        Parameters
        ----------
        X_old, X_new : frame, array or list of rows
            Tables with the columns of that of ``fit``, such as rows held out before and rows seen since.
        n_permutations : int, default=499
            Permutations of which rows are new; no p-value is below 1 / (n_permutations + 1).
        random_state : int, default=0
            Seed of the permutations.

        Returns
        -------
        drift : Drift
            ``statistic``, ``expected`` and ``p_value``; ``names``, ``contributions`` and ``p_values`` of the columns;
            see :meth:`freemetric.FreeEnergyClassifier.drift`.
        """
        old, new = self.features(X_old), self.features(X_new)
        options = {"n_permutations": n_permutations, "random_state": random_state}
        return self.pipeline_[-1].drift(old, new, groups=self.model_.feature_owners(), **options)

    def _has_importances(self):
        last: Any = self.pipeline_[-1] if hasattr(self, "model_") else None
        return hasattr(last, "ensemble_") and are_kept(last.ensemble_, ("columns", recipe_of(last).scoring))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Importances of the columns, as of ``importances``, in the order of ``columns_``; zero where one is left out.

        Computed on first access and cached.
        """
        check_is_fitted(self)
        last = self.pipeline_[-1]
        if not hasattr(last, "permutation_importances"):
            raise AttributeError(f"{type(last).__name__} has no permutation importances.")
        found = kept(last.ensemble_, ("columns", recipe_of(last).scoring), self.importances)
        mean = dict(zip(found.names, found.mean, strict=True))
        return np.array([mean.get(name, 0.0) for name in self.columns_])

    def report(self, path: str | PathLike, X: Any = None, y: Any = None, **options: Any) -> Path:
        """Write a report of a table X; y may be the name of a column of X."""
        y = self._known_target(X, y)[0] if isinstance(y, str) else y
        known = {"feature_names": self.feature_names(), "columns": self.model_.originals(self.frame)}
        return super().report(path, X, y, **known | options)

    def as_pipeline(self) -> Pipeline:
        """All fitted steps, beginning with the table."""
        check_is_fitted(self)
        return Pipeline([("table", FunctionTransformer(self.frame)), *self.pipeline_.steps])

    def as_shown(self) -> Any:
        """The last step with the names of its features, for the card in a notebook."""
        shown = copy(self.pipeline_[-1])
        shown.feature_names_in_ = np.array(self.feature_names(), dtype=object)
        return shown

    @property
    def _n_features_out(self) -> int:
        return len(LearnedSpace(self.pipeline_).learner.get_feature_names_out())

    def check_state(self) -> None:
        """ValueError unless the fitted attributes are consistent; called before saving and after loading."""
        check_attributes(self, ("model_", "columns_", "n_features_in_"))
        if hasattr(self, "model_"):
            own = f"of {type(self).__name__}"
            require(type(self.model_) is TableModel, f"model_ {own}", "is something else")
            require(self._task.predicts(self.model_.pipeline[-1]), f"model_ {own}", "predicts something else")
            names = self.columns_
            texts = type(names) is list and all(type(name) is str for name in names)
            known = texts and {column.name for column in self.model_.schema.columns} <= set(names)
            require(known and len(names) == self.n_features_in_, f"columns_ {own}", "are something else")
            mine, its = (getattr(fitted, "classes_", ()) for fitted in (self, self.model_.pipeline))
            require(np.array_equal(mine, its), f"classes_ {own}", "are not those of its pipeline")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags
