"""Data sets: the paper's, checked and encoded; regression tables; synthetic problems."""

from .dataset import Dataset, load
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
    "check",
    "export_regression",
    "fetch",
    "info",
    "list_datasets",
    "list_regression",
    "load",
    "load_regression",
    "regression_info",
]
