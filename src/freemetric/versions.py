"""What a result was made with."""

import platform
from importlib.metadata import PackageNotFoundError, version

from ._version import __version__


def versions() -> dict[str, str]:
    """Versions of this package, of Python and of the libraries that numbers depend on, and the kind of machine."""
    return {
        "freemetric": __version__,
        "python": platform.python_version(),
        **library_versions("numpy", "scipy", "scikit-learn"),
        "machine": platform.machine(),
    }


def library_versions(*names: str) -> dict[str, str]:
    """Versions of libraries by the names they are installed under; one that is not installed is left out.

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
