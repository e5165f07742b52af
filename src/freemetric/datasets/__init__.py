"""Data sets: the paper's, checked and encoded; any folder of CSV files; regression tables and synthetic problems."""

from .dataset import Dataset, Suite, list_folder, load, load_csv
from .registry import DatasetInfo, RegressionInfo, info, list_datasets, list_regression, regression_info
from .regression import export_regression, load_regression
from .store import Result, check, fetch
from .synthetic import SYNTHETIC, Problem
from .table import DatasetError

__all__ = [
    "SYNTHETIC",
    "Dataset",
    "DatasetError",
    "DatasetInfo",
    "Problem",
    "RegressionInfo",
    "Result",
    "Suite",
    "check",
    "export_regression",
    "fetch",
    "info",
    "list_datasets",
    "list_folder",
    "list_regression",
    "load",
    "load_csv",
    "load_regression",
    "regression_info",
]
