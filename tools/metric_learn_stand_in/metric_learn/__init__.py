"""Stands in for metric-learn while its own tests run: the names are those of
freemetric.metric_learn.
"""

from freemetric.metric_learn import *  # noqa: F403
from freemetric.metric_learn import __version__  # noqa: F401
