"""The paper's data sets, checked and encoded, and any folder of CSV files beside them."""

from .dataset import Dataset, load
from .folder import Suite, list_folder, load_csv
from .inventory import Result, check, fetch
from .registry import DatasetInfo, info, list_datasets
from .table import DatasetError

__all__ = [
    "Dataset",
    "DatasetError",
    "DatasetInfo",
    "Result",
    "Suite",
    "check",
    "fetch",
    "info",
    "list_datasets",
    "list_folder",
    "load",
    "load_csv",
]
