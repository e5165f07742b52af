"""Libraries: those that only an extra installs, and the versions in use."""

import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ._version import __version__

OWN_EXTRA = {"openpyxl": "excel", "pyarrow": "parquet"}


def require(module: str, extra: str = "bench") -> Any:
    """Import a module of an extra; ImportError, in one line with the command that
    installs it, where it is missing.

    The command names the missing package itself, which works wherever freemetric is
    from. ``extra`` has the module, unless it is in ``OWN_EXTRA``.

    Examples
    --------
    >>> require("pandas").__name__
    'pandas'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        extra = OWN_EXTRA.get(module.partition(".")[0], extra)
        advice = f"pip install {missing.name} (extra {extra!r})"
        raise ImportError(f"This needs {missing.name}: {advice}.") from None


def versions() -> dict[str, str]:
    """Versions of this package, of Python and of the libraries that numbers depend on,
    and the kind of machine.
    """
    return {
        "freemetric": __version__,
        "python": platform.python_version(),
        **library_versions("numpy", "scipy", "scikit-learn"),
        "machine": platform.machine(),
    }


def library_versions(*names: str) -> dict[str, str]:
    """Versions of libraries by the names they are installed under; one that is not
    installed is left out.

    Examples
    --------
    >>> list(library_versions("numpy", "no-such-library"))
    ['numpy']
    """
    installed = {}
    for name in names:
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            continue
    return installed
