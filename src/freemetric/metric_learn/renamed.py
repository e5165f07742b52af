"""Parameters that metric-learn renamed and still takes."""

import warnings
from typing import Any

from ..exceptions import callers_stacklevel

DEPRECATED = "deprecated"  # the value of an old name that was not used


def renamed(value: Any, new_value: Any, old: str, new: str) -> Any:
    """The value under the old name of a parameter where there is one, with a warning; else that under the new one."""
    if isinstance(value, str) and value == DEPRECATED:
        return new_value
    warnings.warn(
        f'"{old}" parameter has been renamed to "{new}"; use that.', FutureWarning, stacklevel=callers_stacklevel()
    )
    return value
