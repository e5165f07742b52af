"""Generated problems whose posterior, and so whose Bayes error, is known exactly."""

from . import boundaries, densities, discrete
from .problem import Problem

PROBLEMS: dict[str, Problem] = {
    **discrete.PROBLEMS,
    **densities.PROBLEMS,
    **boundaries.PROBLEMS,
}
