"""Tasks: what classification and regression ask of an ensemble, a file each. A new task is its file and a line here."""

from ..task import EnsembleTask
from .classification import ClassificationTask
from .multi_label import MultiLabelTask
from .multi_output import MultiOutputTask
from .regression import RegressionTask

TASKS: dict[str, type[EnsembleTask]] = {
    "regression": RegressionTask,
    "multi-output regression": MultiOutputTask,
    "classification": ClassificationTask,
    "multi-label classification": MultiLabelTask,
}
