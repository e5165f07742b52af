"""Libraries that only the extra `report` installs."""

from importlib import import_module


def require(module):
    """Import a module of the extra, or say in one line how to get it.

    Parameters
    ----------
    module : str
        Name of the module.

    Returns
    -------
    module
        The imported module.

    Raises
    ------
    ImportError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        raise ImportError(f"This needs {missing.name}: pip install 'freemetric[report]'.") from None
