"""The laboratory: data sets, protocols, methods, records of fits, their statistics.

:mod:`~freemetric.experiments.statistics`, :mod:`~freemetric.experiments.tables`,
:mod:`~freemetric.experiments.paper` and :mod:`~freemetric.experiments.figures` need the
extra ``bench``; everything else runs without any extra.
"""

from .datasets import DatasetError, dataset_info, dataset_names
from .evaluate import Evaluation, evaluate
from .loading import Dataset, load_dataset, save_dataset

__all__ = ["Dataset", "DatasetError", "Evaluation", "dataset_info", "dataset_names"]
__all__ += ["evaluate", "load_dataset", "save_dataset"]
