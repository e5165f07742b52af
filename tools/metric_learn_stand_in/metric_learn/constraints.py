"""The class, as it is."""

from freemetric.metric_learn.constraints import Constraints  # noqa: F401
