"""Data sets: the paper's, checked and encoded; regression tables; synthetic problems."""

from .dataset import Dataset, export_regression, load, load_regression
from .registry import DatasetInfo, RegressionInfo, info, list_datasets, list_regression, regression_info
from .store import Result, check, fetch
from .synthetic import SYNTHETIC, Problem
from .table import DatasetError

__all__ = ["SYNTHETIC", "Dataset", "DatasetError", "DatasetInfo", "Problem", "RegressionInfo", "Result", "check"]
__all__ += ["export_regression", "fetch", "info", "list_datasets", "list_regression", "load", "load_regression"]
__all__ += ["regression_info"]
