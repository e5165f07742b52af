"""The errors, as they are."""

from freemetric.metric_learn.exceptions import NonPSDError, PreprocessorError  # noqa: F401
