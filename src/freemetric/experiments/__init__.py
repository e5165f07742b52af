"""The laboratory: data sets, protocols, methods, records of fits, their statistics.

:mod:`~freemetric.experiments.statistics`, :mod:`~freemetric.experiments.tables`,
:mod:`~freemetric.experiments.paper` and :mod:`~freemetric.experiments.figures` need the
extra ``bench``; everything else runs without any extra.
"""

from .datasets import DatasetError, dataset_info, dataset_names
from .loading import Dataset, load_dataset, save_dataset

__all__ = ["Dataset", "DatasetError", "dataset_info", "dataset_names", "load_dataset"]
__all__ += ["save_dataset"]
