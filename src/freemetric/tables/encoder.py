"""The encoder of tables: which columns are used, and how they become numbers."""

import re

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ..exceptions import warn_of_data
from .cells import (
    ISO,
    cells_of_table,
    distinct_texts,
    format_of_dates,
    needs_comma,
    read_dates,
    read_numbers,
)
from .columns import MAX_CATEGORIES, fit_categories, fit_dates, fit_numbers
from .frames import as_frame

IDENTIFIER = re.compile(r"(?i:(.*[^a-z])?(id|key|index|no|nr)|unnamed: 0)|.*[a-z]I[dD]")
"""The names of columns that number the rows."""

MOST_REASONS = 20
"""The number of columns that the warning of columns left out names."""

EMPTY = "it has no value"
CONSTANT = "it is constant"
"""Why a column is of no use, even if it is kept."""


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode a DataFrame as an array of numbers.

    Numbers stay numbers, a category becomes a feature of zeros and ones, and a date
    becomes days, year, month and weekday. Columns of no use are left out with a
    warning; features that do not vary are left out, too.

    Parameters
    ----------
    keep : sequence of str, default=()
        Columns to use although they look like keys.
    drop : sequence of str, default=()
        Columns to leave out.

    Attributes
    ----------
    columns_ : list of NumberColumn, CategoryColumn and DateColumn
        The columns that are used.
    varying_ : ndarray of shape (n_features,)
        Which features of these columns vary; the others are left out.
    kinds_ : dict
        "number", "category" or the format of dates, by the name of the column.
    n_features_in_ : int
        The number of columns seen in fit.

    Examples
    --------
    >>> import pandas as pd
    >>> from freemetric.tables import TableEncoder
    >>> prices = ["$1,200", "$900", None, "$20"]
    >>> frame = pd.DataFrame({"price": prices, "colour": ["red", "blue"] * 2})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.get_feature_names_out().tolist()
    ['price', 'price_missing', 'colour_blue', 'colour_red']
    >>> encoder.transform(frame.head(1)).tolist()
    [[1200.0, 0.0, 0.0, 1.0]]
    """

    def __init__(self, keep=(), drop=()) -> None:
        self.keep = keep
        self.drop = drop

    def fit(self, X, y=None):
        """Find out what the columns hold.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.
        y : ignored
            Present by convention.

        Returns
        -------
        self : TableEncoder
            The fitted encoder.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Find out what the columns hold, and return them as numbers.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            The table.
        y : ignored
            Present by convention.

        Returns
        -------
        features : ndarray of shape (n_rows, n_features)
            The features that vary.
        """
        X = as_frame(X)[0]
        keep = names_of(X, self.keep, "keep")
        drop = names_of(X, self.drop, "drop")
        columns, values, reasons = fit_columns(X, keep, drop)
        features = features_of(columns, values, len(X))
        varying = features.min(axis=0) < features.max(axis=0)
        if not varying.any():
            listed = ", ".join(with_reasons(reasons))
            raise ValueError(f"X has no usable column: {listed}.")
        self.columns_ = columns
        self.varying_ = varying
        self.kinds_ = {column.name: column.kind for column in columns}
        self.n_features_in_ = X.shape[1]
        warn_of_columns_left_out(reasons)
        return features[:, varying]

    def transform(self, X):
        """Return the columns as numbers.

        Parameters
        ----------
        X : DataFrame of shape (n_rows, n_columns), list of dict or array-like
            A table with the columns used in fit, in any order, and perhaps others.

        Returns
        -------
        features : ndarray of shape (n_rows, n_features)
            The features that vary.
        """
        check_is_fitted(self)
        return encoded(self, as_frame(X)[0])

    def get_feature_names_out(self, input_features=None):
        """Return the names of the features.

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
        names = [name for column in self.columns_ for name in column.feature_names()]
        return np.array(names, dtype=object)[self.varying_]


def encoded(encoder, X):
    """Return the features that a fitted encoder makes of a table.

    scikit-learn's wrapper of ``transform`` takes half a millisecond, which counts for
    single rows.
    """
    names = set(X.columns.tolist())
    missing = [name for name in encoder.kinds_ if name not in names]
    if missing:
        raise ValueError(f"X lacks the columns {missing}.")
    cells = cells_of_table(X, list(encoder.kinds_))
    values = [column.read(cells[column.name]) for column in encoder.columns_]
    return features_of(encoder.columns_, values, len(X))[:, encoder.varying_]


def features_of(columns, values, n_rows):
    """Return the features that fitted columns make of their values."""
    widths = [len(column.feature_names()) for column in columns]
    features = np.empty((n_rows, sum(widths)))
    start = 0
    for column, width, own_values in zip(columns, widths, values, strict=True):
        column.write(own_values, features[:, start : start + width])
        start += width
    return features


def fit_columns(X, keep, drop):
    """Return the useful columns, their values, and why others are left out."""
    names = [name for name in X.columns if name not in drop]
    cells = cells_of_table(X, names)
    texts = [own_cells for own_cells in cells.values() if isinstance(own_cells, list)]
    has_commas = any(needs_comma(distinct_texts(column)) for column in texts)
    columns = []
    values = []
    reasons = {}
    for name in names:
        is_category = isinstance(X[name].dtype, pd.CategoricalDtype)
        decimal = "," if has_commas else "."
        column, own_values = fit_column(name, cells[name], is_category, decimal)
        reason = why_useless(column, own_values)
        if reason and name not in keep:
            reasons[name] = reason
        else:
            columns.append(column)
            values.append(own_values)
    return columns, values, reasons


def fit_column(name, cells, is_category, decimal):
    """Return the fitted column, and its values: numbers, dates or texts."""
    if pd.isna(cells).all():
        texts = [None] * len(cells)
        return fit_categories(name, texts), texts
    if not isinstance(cells, list):
        if cells.dtype.kind == "M":
            return fit_dates(name, cells, ISO), cells
        return fit_numbers(name, cells), cells
    if not is_category:
        distinct = distinct_texts(cells)
        if not read_numbers(distinct, decimal).unread:
            numbers = read_numbers(cells, decimal)
            column = fit_numbers(name, numbers.values, numbers.unit, numbers.decimal)
            return column, numbers.values
        date_format = format_of_dates(distinct)
        if date_format is not None:
            dates = read_dates(cells, date_format)
            return fit_dates(name, dates, date_format), dates
        warn_of_words(name, distinct, decimal)
    return fit_categories(name, cells), cells


def why_useless(column, values):
    """Return why a column should not be a feature; an empty text if it should."""
    is_category = column.kind == "category"
    cells = pd.Series(values, dtype=object if is_category else None)
    n_values = cells.nunique()
    if n_values == 0:
        return EMPTY
    if n_values == 1 and cells.notna().all():
        return CONSTANT
    if is_category and n_values > max(MAX_CATEGORIES, len(cells) / 2):
        return "nearly every row has a text of its own"
    is_plain_number = column.kind == "number" and not column.unit
    if is_plain_number and number_the_rows(column.name, cells):
        return "it numbers the rows"
    return ""


def number_the_rows(name, numbers):
    """Return whether numbers are whole, all different, and identify the rows.

    They do if they are consecutive, or if their column is called an identifier.
    """
    if not numbers.is_unique or not (numbers % 1 == 0).all():
        return False
    is_consecutive = numbers.max() - numbers.min() == len(numbers) - 1
    is_called_so = IDENTIFIER.fullmatch(name) is not None
    return is_called_so or (is_consecutive and len(numbers) > MAX_CATEGORIES)


def names_of(X, names, parameter):
    """Return the set of names in keep or drop, which must be those of columns."""
    if isinstance(names, str):
        raise TypeError(f"{parameter} must be a list of names, such as [{names!r}].")
    names = {str(name): name for name in names}
    unknown = [names[name] for name in names if name not in X.columns]
    if unknown:
        raise ValueError(f"{parameter} names columns that X lacks: {unknown}.")
    return set(names)


def warn_of_columns_left_out(reasons):
    """Warn of the columns that are left out, and say how to keep or drop them."""
    if not reasons:
        return
    useful = [name for name in reasons if reasons[name] not in (EMPTY, CONSTANT)]
    name = [*useful, *reasons][0]
    advice = f"drop=[{name!r}] silences this warning"
    if useful:
        advice = f"keep=[{name!r}] uses a column, {advice}"
    shown = ", ".join(with_reasons(reasons)[:MOST_REASONS])
    if len(reasons) > MOST_REASONS:
        shown = f"{shown} and {len(reasons) - MOST_REASONS} others"
    warn_of_data(f"Columns left out: {shown}; {advice}.")


def with_reasons(reasons):
    """Return columns with the reasons why they are left out."""
    return [f"{name!r} ({reason})" for name, reason in reasons.items()]


def warn_of_words(name, texts, decimal):
    """Warn of the words in a column of which most texts are numbers."""
    unread = read_numbers(texts, decimal).unread
    if len(unread) < len(texts) / 2:
        message = f"{texts[unread[0]]!r} is no number"
        warn_of_data(f"Column {name!r} is read as categories, because {message}.")
