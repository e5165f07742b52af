"""The paper's data sets, checked and encoded; any folder of CSV files; sets with numbers to predict."""

from .dataset import Dataset, load
from .folder import Suite, list_folder, load_csv
from .inventory import Result, check, fetch
from .registry import DatasetInfo, info, list_datasets
from .regression import RegressionDataset, export_regression, load_regression
from .regression_tables import RegressionInfo, list_regression, regression_info
from .synthetic import SYNTHETIC, Problem
from .table import DatasetError

__all__ = [
    "SYNTHETIC",
    "Dataset",
    "DatasetError",
    "DatasetInfo",
    "Problem",
    "RegressionDataset",
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
