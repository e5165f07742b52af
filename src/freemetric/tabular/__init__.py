"""People's own tables: read files of many formats, fit and use models of mixed columns with gaps, compare methods."""

from .comparison import Comparison
from .estimators import TableClassifier, TableRegressor
from .evaluation import compare, evaluate
from .limits import Limits
from .model import TableModel
from .preprocessing import Weight, by_column
from .protocol import Settings
from .reading import read
from .schema import Schema
from .table import InputError, Table

__all__ = [
    "Comparison",
    "InputError",
    "Limits",
    "Schema",
    "Settings",
    "Table",
    "TableClassifier",
    "TableModel",
    "TableRegressor",
    "Weight",
    "by_column",
    "compare",
    "evaluate",
    "read",
]
