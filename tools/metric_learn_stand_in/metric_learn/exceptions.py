"""The errors, as they are."""

from freemetric.metric_learn.base import PreprocessorError  # noqa: F401
from freemetric.metric_learn.starts import NonPSDError  # noqa: F401
