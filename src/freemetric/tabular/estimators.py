"""TableClassifier and TableRegressor: models of tables as scikit-learn estimators on frames."""

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if

from ..ensemble.classifier import FreeEnergyClassifier
from ..ensemble.regressor import FreeEnergyRegressor
from ..magnitudes import r2
from .frames import frame_labels, frame_target
from .model import by_parts
from .table import MISSING, InputError, cells
from .table_estimator import Inner, Names, TableEstimator, inner_can, table_estimator
from .tasks import CLASSIFY, REGRESS, TASKS, check_two, class_target, numbers_of


@table_estimator
class TableClassifier(ClassifierMixin, TableEstimator):
    """Classify the rows of a table with numbers, names, dates, truth values, text and gaps.

    It does on frames what ``freemetric fit`` does with a file: columns of numbers, names or dates become features in
    [0, 1], keys and free text are left out with a warning, and a classifier is fitted. ``predict`` matches columns by
    name; a missing one is an error, an additional one is ignored with a warning.

    X may be a DataFrame of pandas or polars, a Table of pyarrow, anything with Arrow's ``__arrow_c_stream__``, an
    array, a list of rows or of dicts, or a sparse matrix within scikit-learn's ``working_memory``. None, NaN, NA and
    NaT are gaps, and so is a name that a dict lacks and others have.
    Categories and truth values are names. Dates become days, year, month and weekday in local time; time spans and
    times of day become days.

    Parameters
    ----------
    classifier : estimator or None, default=None
        Fitted to the features; k-NN follows a metric learner. None is ``FreeEnergyClassifier()``.
    {columns}

    Attributes
    ----------
    {model}
    classes_ : ndarray of shape (n_classes,)
        Labels seen in fit.
    {names}

    See Also
    --------
    freemetric.TableRegressor : For regression.
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

    classifier: Inner = None
    _: KW_ONLY
    drop: Names = ()
    keep: Names = ()
    numeric: Names = ()
    nominal: Names = ()
    missing: Any = None
    decimal: str | None = None
    thousands: str | None = None
    date_order: str | None = None
    random_state: Any = None

    _inner, _usual, _task = "classifier", FreeEnergyClassifier, TASKS[CLASSIFY]
    _score = staticmethod(accuracy_score)
    score = TableEstimator.score

    def _given_target(self, X, y):
        labels = frame_labels(X, y)

        def read(table):
            check_two(table.source, labels.name, labels.y.tolist())
            return class_target(table, labels.name, labels.y, labels.present)

        return labels.name, labels.cells, read

    def _known_target(self, X, y):
        return frame_labels(X, y)[1:]

    @property
    def classifier_(self) -> Any:
        """The fitted classifier, on the features that ``features`` makes of a table."""
        return self.model_.pipeline[-1]

    def predict(self, X: Any, costs: ArrayLike | None = None, reject: float | None = None) -> NDArray:
        """Predict the class of every row: the most probable one, or that of least expected cost.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.
        costs : array-like of shape (n_classes, n_classes) or None, default=None
            ``costs[i, j]`` is the cost of saying ``classes_[j]`` where ``classes_[i]`` is true.
        reject : float or None, default=None
            Reject rows unlike those of ``fit``; this share of ordinary ones is rejected, too.

        Returns
        -------
        y : ndarray of shape (n_rows,)
            Labels; with ``reject`` a masked array. See :meth:`freemetric.FreeEnergyClassifier.predict`.
        """
        if costs is None and reject is None:
            return super().predict(X)
        frame = self.frame(X)
        if not isinstance(last := self.classifier_, FreeEnergyClassifier):
            raise InputError(f"costs and reject are for FreeEnergyClassifier, not for {type(last).__name__}")
        return self.classifier_.predict(by_parts(frame, self.pipeline_[:-1].transform), costs, reject)

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

    @available_if(inner_can("counterfactual"))
    def counterfactual(
        self, X: Any, target: Any = None, *, fixed: Names = (), monotone: Mapping[str, int] | None = None
    ) -> list[dict[str, tuple[Any, Any]] | None]:
        """What would have to be otherwise in a row for the model to predict another class.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.
        target : label or None, default=None
            The class wanted; None: any other.
        fixed : list of str, default=()
            Columns that may not change.
        monotone : dict or None, default=None
            By column, 1 where its number may only rise, -1 where it may only fall.

        Returns
        -------
        changes : list of dict or None
            For every row, the cell before and after by column, such as ``{"age": (35, 42)}``; none where the row is of
            the target class already, and None where no counterfactual was found. See
            :meth:`freemetric.FreeEnergyClassifier.counterfactual`.

        Examples
        --------
        >>> import pandas as pd
        >>> from freemetric import TableClassifier
        >>> sizes, colours = [i / 10 for i in range(40)], ["red", "green"] * 20
        >>> frame = pd.DataFrame({"size": sizes, "colour": colours})
        >>> model = TableClassifier(random_state=0).fit(frame, ["small"] * 20 + ["large"] * 20)
        >>> list(model.counterfactual(frame[:1])[0])
        ['size']
        """
        columns = self.model_.originals(self.frame)
        unused = set(self.columns_) - set(columns.names)
        fixed = [name for name in fixed if name not in unused]
        monotone = {name: sign for name, sign in (monotone or {}).items() if name not in unused}
        owners = self.model_.feature_owners()
        found = self.classifier_.counterfactual(self.features(X), target, fixed=fixed, monotone=monotone, groups=owners)
        is_found = ~np.isnan(found.X).any(axis=1)
        before, after = columns.of_rows(X), columns.of_features(np.where(is_found[:, None], found.X, 0.0))
        cells = [
            (name, old.tolist(), new.tolist()) for name, old, new in zip(columns.names, before, after, strict=True)
        ]
        return [
            {name: (old[i], new[i]) for name, old, new in cells if name in owners[found.changed[i]]}
            if is_found[i]
            else None
            for i in range(len(is_found))
        ]

    @available_if(inner_can("predict_proba"))
    def predict_log_proba(self, X: Any) -> NDArray:
        """Logarithms of the probabilities of the classes, minus infinity for zero; see ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(inner_can("predict_set"))
    def predict_set(
        self, X: Any, alpha: float = 0.1, *, coverage: str = "class", groups: Any = None, shift: Any = None
    ) -> NDArray[np.bool_]:
        """Sets of classes that hold the true one with a probability of 1 - alpha, within every class.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.
        alpha : float, default=0.1
            Share of sets that may lack the true class, between 0 and 1.
        coverage : {"class", "marginal"}, default="class"
            Whether this holds within every class, or on average over all rows.
        groups : pair of array-like, or None, default=None
            Groups of the rows of ``fit`` that have a target, and of the rows of X.
        shift : frame, array, list of rows or None, default=None
            A table of rows from where X is from, if not from where the rows of ``fit`` are.

        Returns
        -------
        S : ndarray of shape (n_rows, n_classes)
            Columns follow ``classes_``; see :meth:`freemetric.FreeEnergyClassifier.predict_set`.
        """
        options = {"coverage": coverage, "groups": groups, "shift": None if shift is None else self.features(shift)}
        return self.classifier_.predict_set(by_parts(self.frame(X), self.pipeline_[:-1].transform), alpha, **options)


@table_estimator
class TableRegressor(RegressorMixin, TableEstimator):
    """Regression for the rows of a table with numbers, names, dates, truth values, text and gaps.

    It does on frames what ``freemetric fit --task regress`` does with a file. Columns become features as in
    :class:`TableClassifier`, and X may be all that it takes.

    Parameters
    ----------
    regressor : estimator or None, default=None
        Fitted to the features; k-NN follows a metric learner, such as :class:`MLKR`. None is
        ``FreeEnergyRegressor()``.
    {columns}

    Attributes
    ----------
    {model}
    {names}

    See Also
    --------
    freemetric.TableClassifier : For classification.
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

    regressor: Inner = None
    _: KW_ONLY
    drop: Names = ()
    keep: Names = ()
    numeric: Names = ()
    nominal: Names = ()
    missing: Any = None
    decimal: str | None = None
    thousands: str | None = None
    date_order: str | None = None
    random_state: Any = None

    _inner, _usual, _task = "regressor", FreeEnergyRegressor, TASKS[REGRESS]
    _score = staticmethod(r2)
    score = TableEstimator.score

    def _given_target(self, X, y):
        name, values = frame_target(X, y)
        column = cells(values, MISSING if self.missing is None else self.missing, "y")
        return name, column, lambda table: numbers_of(table, name)

    def _known_target(self, X, y):
        name, column, _ = self._given_target(X, y)
        numbers = self.table(X).with_target(name, column).numbers(name, self.model_.target_marks)
        present = ~np.isnan(numbers)
        return numbers[present], present

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
        steps = self.pipeline_[:-1]
        return by_parts(self.frame(X), lambda part: self.regressor_.predict_quantiles(steps.transform(part), q))

    @available_if(inner_can("predict_interval"))
    def predict_interval(
        self, X: Any, alpha: float = 0.1, *, groups: Any = None, shift: Any = None
    ) -> NDArray[np.float64]:
        """Prediction intervals that contain the target with a probability of 1 - alpha.

        Parameters
        ----------
        X : frame, array or list of rows
            A table with the columns of that of ``fit``.
        alpha : float, default=0.1
            Share of intervals that may miss, between 0 and 1.
        groups : pair of array-like, or None, default=None
            Groups of the rows of ``fit`` that have a target, and of the rows of X, within which this is to hold.
        shift : frame, array, list of rows or None, default=None
            A table of rows from where X is from, if not from where the rows of ``fit`` are.

        Returns
        -------
        I : ndarray of shape (n_rows, 2)
            Lower and upper ends; see :meth:`freemetric.FreeEnergyRegressor.predict_interval`.
        """
        frame, steps = self.frame(X), self.pipeline_[:-1]
        if groups is None and shift is None:
            return by_parts(frame, lambda part: self.regressor_.predict_interval(steps.transform(part), alpha))
        options = {"groups": groups, "shift": None if shift is None else self.features(shift)}
        return self.regressor_.predict_interval(by_parts(frame, steps.transform), alpha, **options)
