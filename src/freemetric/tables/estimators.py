"""The estimators of tables: an encoder, and an estimator of arrays behind it."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    RegressorMixin,
    clone,
    is_classifier,
    is_regressor,
)
from sklearn.metrics import r2_score
from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..ensemble import FreeEnergyClassifier, FreeEnergyRegressor
from .encoder import TableEncoder, encoded
from .frames import as_frame, as_numbers, as_target, default_names


def inner_has(method):
    """Return a check of whether the estimator inside a table model has a method."""

    def check(model):
        if hasattr(model, "pipeline_"):
            return hasattr(model.pipeline_[-1], method)
        return hasattr(model._unfitted_estimator(), method)

    return check


def check_weights(estimator, sample_weight):
    """Raise an error if there are weights that the estimator cannot use."""
    if sample_weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        name = type(estimator).__name__
        raise ValueError(f"{name} cannot use sample_weight.")


def check_task(model, estimator):
    """Raise an error if the estimator inside predicts classes in place of numbers."""
    is_other = is_regressor if is_classifier(model) else is_classifier
    if is_other(estimator):
        name = type(estimator).__name__
        other = "TableRegressor" if is_classifier(model) else "TableClassifier"
        raise TypeError(f"estimator={name}() is for {other}.")


def check_predicts(estimator):
    """Raise an error if the estimator inside a table model only transforms."""
    if not hasattr(estimator, "predict"):
        name = type(estimator).__name__
        advice = f"MetricKNeighborsClassifier({name}()) does"
        raise TypeError(f"estimator={name}() does not predict; {advice}.")


class TableModel(BaseEstimator):
    """The base class of TableClassifier and TableRegressor."""

    def __init__(self, estimator=None, *, keep=(), drop=(), random_state=None) -> None:
        self.estimator = estimator
        self.keep = keep
        self.drop = drop
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None) -> Self:
        """Find out what the columns of a table are, and fit the estimator.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.
        y : array-like of shape (n_rows,)
            The target, without gaps.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            The weights of the rows, for the estimator inside.

        Returns
        -------
        self : object
            The fitted model.
        """
        estimator = self._unfitted_estimator()
        check_predicts(estimator)
        check_task(self, estimator)
        check_weights(estimator, sample_weight)
        frame, has_names = as_frame(X)
        target = self._check_target(y, len(frame))
        if len(frame) < 2:
            raise ValueError("X has 1 sample, and a fit needs at least 2.")
        encoder = TableEncoder(keep=self.keep, drop=self.drop)
        features = np.asarray(encoder.fit_transform(frame))  # frames, by set_config
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        estimator.fit(features, target, **weights)
        self.pipeline_ = Pipeline([("encoder", encoder), ("estimator", estimator)])
        self.kinds_ = encoder.kinds_
        self.n_features_in_ = frame.shape[1]
        if has_names:
            self.feature_names_in_ = frame.columns.to_numpy(dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def predict(self, X) -> NDArray:
        """Predict the targets of the rows of a table.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table; its columns are matched by name.

        Returns
        -------
        y : ndarray of shape (n_rows,)
            The predictions.
        """
        features = self._encode(X)
        return self.pipeline_[-1].predict(features)

    @available_if(inner_has("kneighbors"))
    def kneighbors(self, X, n_neighbors=5, return_distance=True) -> Any:
        """Find the training rows that are nearest to the rows of a table.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.
        n_neighbors : int, default=5
            The number of neighbors.
        return_distance : bool, default=True
            Whether to return distances, too.

        Returns
        -------
        distances : ndarray of shape (n_rows, n_neighbors)
            The distances, if return_distance is True.
        indices : ndarray of shape (n_rows, n_neighbors)
            The positions of the neighbors in the table of fit.
        """
        features = self._encode(X)
        inner = self.pipeline_[-1]
        return inner.kneighbors(features, n_neighbors, return_distance=return_distance)

    def get_feature_names_out(self, input_features=None) -> NDArray:
        """Return the names of the features that the estimator inside is fitted to.

        Parameters
        ----------
        input_features : ignored
            Present by convention.

        Returns
        -------
        names : ndarray of shape (n_features,)
            Such as "colour_red" for the category "red" of the column "colour".
        """
        check_is_fitted(self)
        return self.pipeline_[0].get_feature_names_out()

    def _unfitted_estimator(self):
        """Return a new estimator to put behind the encoder."""
        if self.estimator is None:
            return self._default_estimator()
        return clone(self.estimator)

    def _check_target(self, y, n_rows):
        """Return the target as an array without gaps."""
        return as_target(y, n_rows, type(self).__name__)

    def _encode(self, X):
        """Return the features of a table; without names, columns are in the order."""
        check_is_fitted(self)
        frame, has_names = as_frame(X)
        if has_names and hasattr(self, "feature_names_in_"):
            return encoded(self.pipeline_[0], frame)
        n_columns = self.n_features_in_
        if frame.shape[1] != n_columns:
            wanted = f"{type(self).__name__} is expecting {n_columns} features as input"
            raise ValueError(f"X has {frame.shape[1]} features, but {wanted}.")
        names = getattr(self, "feature_names_in_", default_names(n_columns))
        return encoded(self.pipeline_[0], frame.set_axis(names, axis=1))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class TableClassifier(ClassifierMixin, TableModel):
    """Classify the rows of a table.

    Columns may hold numbers, texts that are numbers ("$20,906", "1.234,56", "12.5 %"),
    dates, truth values and categories, all of them with gaps. Columns are matched by
    name. Keys, and columns with a single value, are left out with a warning.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What is fitted to the numbers that the table becomes. They are not scaled: put
        a scaler before an estimator that needs one. None is FreeEnergyClassifier.
    keep : sequence of str, default=()
        Columns to use although they look like keys.
    drop : sequence of str, default=()
        Columns to leave out.
    random_state : int, RandomState instance or None, default=None
        The seed of the default estimator.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    kinds_ : dict
        What the used columns hold, by name: "number", "category" or a date format.
    pipeline_ : Pipeline
        The fitted TableEncoder and the fitted estimator.
    n_features_in_ : int
        The number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they had names.

    See Also
    --------
    freemetric.TableRegressor : For numbers as targets.
    freemetric.FreeEnergyClassifier : For arrays of numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from freemetric import TableClassifier
    >>> prices = ["$1,200", "$1,900", None, "$20", "$31", "$42"]
    >>> frame = pd.DataFrame({"price": prices, "colour": ["red", "blue"] * 3})
    >>> model = TableClassifier(GaussianNB()).fit(frame, ["dear"] * 3 + ["cheap"] * 3)
    >>> model.kinds_
    {'price': 'number', 'colour': 'category'}
    >>> model.predict([{"price": 1500, "colour": "red"}]).tolist()
    ['dear']
    """

    def fit(self, X, y, sample_weight=None) -> Self:
        """Find out what the columns of a table are, and fit the classifier.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.
        y : array-like of shape (n_rows,)
            The labels: texts, categories, truth values or whole numbers.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            The weights of the rows, for the classifier inside.

        Returns
        -------
        self : TableClassifier
            The fitted model.
        """
        super().fit(X, y, sample_weight)
        self.classes_ = self.pipeline_[-1].classes_
        return self

    @available_if(inner_has("predict_proba"))
    def predict_proba(self, X) -> NDArray:
        """Predict the probabilities of the classes.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes)
            The columns are in the order of classes_.
        """
        features = self._encode(X)
        return self.pipeline_[-1].predict_proba(features)

    @available_if(inner_has("predict_log_proba"))
    def predict_log_proba(self, X) -> NDArray:
        """Predict the logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.

        Returns
        -------
        log_probabilities : ndarray of shape (n_rows, n_classes)
            The columns are in the order of classes_.
        """
        features = self._encode(X)
        return self.pipeline_[-1].predict_log_proba(features)

    @available_if(inner_has("predict_set"))
    def predict_set(self, X, alpha=0.1, coverage="class") -> NDArray:
        """Predict sets of classes that hold the true one at a known rate.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.
        alpha : float, default=0.1
            The rate of sets without the true class.
        coverage : str, default="class"
            For what the rate holds; see FreeEnergyClassifier.predict_set.

        Returns
        -------
        sets : ndarray of shape (n_rows, n_classes)
            True for the classes in the set of a row.
        """
        features = self._encode(X)
        return self.pipeline_[-1].predict_set(features, alpha, coverage=coverage)

    def _check_target(self, y, n_rows):
        """Return the labels as an array without gaps; all are texts, or none is."""
        labels = super()._check_target(y, n_rows)
        cells = np.asarray(y, dtype=object).ravel()  # numpy makes texts of all
        are_texts = [isinstance(label, str) for label in cells]
        if any(are_texts) and not all(are_texts):
            raise TypeError("y holds texts and other labels: make all of them texts.")
        return labels

    def _default_estimator(self):
        """Return the estimator for estimator=None."""
        return FreeEnergyClassifier(random_state=self.random_state)


class TableRegressor(RegressorMixin, TableModel):
    """Predict a number for every row of a table.

    The columns are read as in TableClassifier.

    Parameters
    ----------
    estimator : regressor or None, default=None
        What is fitted to the numbers that the table becomes. They are not scaled: put
        a scaler before an estimator that needs one. None is FreeEnergyRegressor.
    keep : sequence of str, default=()
        Columns to use although they look like keys.
    drop : sequence of str, default=()
        Columns to leave out.
    random_state : int, RandomState instance or None, default=None
        The seed of the default estimator.

    Attributes
    ----------
    kinds_ : dict
        What the used columns hold, by name: "number", "category" or a date format.
    pipeline_ : Pipeline
        The fitted TableEncoder and the fitted estimator.
    n_features_in_ : int
        The number of columns seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if they had names.

    See Also
    --------
    freemetric.TableClassifier : For classes as targets.
    freemetric.FreeEnergyRegressor : For arrays of numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.linear_model import LinearRegression
    >>> from freemetric import TableRegressor
    >>> frame = pd.DataFrame({"area": ["1.000,5", "2.000,5", "3.000,5"]})
    >>> model = TableRegressor(LinearRegression()).fit(frame, ["10,5", "20,5", "30,5"])
    >>> model.predict(pd.DataFrame({"area": [4000.5]})).round(2).tolist()
    [40.5]
    """

    @available_if(inner_has("predict_interval"))
    def predict_interval(self, X, alpha=0.1) -> NDArray:
        """Predict intervals that hold the true number at a known rate.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.
        alpha : float, default=0.1
            The rate of intervals without the true number.

        Returns
        -------
        intervals : ndarray of shape (n_rows, 2)
            The lower and the upper ends.
        """
        features = self._encode(X)
        return self.pipeline_[-1].predict_interval(features, alpha)

    @available_if(inner_has("predict_quantiles"))
    def predict_quantiles(self, X, q) -> NDArray:
        """Predict quantiles of the target.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.
        q : array-like of float
            The probabilities of the quantiles.

        Returns
        -------
        quantiles : ndarray of shape (n_rows, n_quantiles)
            A column for every quantile.
        """
        features = self._encode(X)
        return self.pipeline_[-1].predict_quantiles(features, q)

    def score(self, X, y, sample_weight=None) -> float:
        """Return R² of the predictions.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.
        y : array-like of shape (n_rows,)
            The numbers, also as texts.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            The weights of the rows.

        Returns
        -------
        score : float
            R² of the predictions.
        """
        predicted = self.predict(X)
        numbers = self._check_target(y, len(predicted))
        return r2_score(numbers, predicted, sample_weight=sample_weight)

    def _check_target(self, y, n_rows):
        """Return the target as an array of numbers without gaps."""
        return as_numbers(super()._check_target(y, n_rows))

    def _default_estimator(self):
        """Return the estimator for estimator=None."""
        return FreeEnergyRegressor(random_state=self.random_state)
