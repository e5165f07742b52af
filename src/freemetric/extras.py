"""Libraries that only an extra installs."""

from importlib import import_module
from typing import Any

OWN_EXTRA = {"openpyxl": "excel", "pyarrow": "parquet"}  # whoever asks for them


def require(module: str, extra: str = "bench") -> Any:
    """Import a module of an extra, or say in one line how to get it.

    Parameters
    ----------
    module : str
        Name of the module.
    extra : str, default="bench"
        What installs it, unless it has an extra of its own.

    Returns
    -------
    module
        The imported module.

    Raises
    ------
    ImportError
        If it is not installed.

    Examples
    --------
    >>> require("pandas").__name__
    'pandas'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        extra = OWN_EXTRA.get(module.partition(".")[0], extra)
        raise ImportError(f"This needs {missing.name}: pip install 'freemetric[{extra}]'.") from None
