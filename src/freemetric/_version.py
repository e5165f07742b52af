"""The version of freemetric, and of what it computes with."""

__version__ = "0.4.0"

PACKAGES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "llvmlite",
    "joblib",
    "threadpoolctl",
    "pandas",
    "torch",
)


def show_versions() -> None:
    """Print versions of Python, the machine and packages, for a report of a problem.

    Examples
    --------
    >>> import freemetric
    >>> freemetric.show_versions()  # doctest: +ELLIPSIS
    freemetric     ...
    python         ...
    """
    import os  # here and below, because every import of freemetric would wait for it
    import platform
    import sys

    print(f"{'freemetric':14} {__version__}")
    print(f"{'python':14} {sys.version.split()[0]}, {sys.executable}")
    print(f"{'machine':14} {platform.platform()}, {os.cpu_count()} cores")
    for name in PACKAGES:
        print(f"{name:14} {version_of(name)}")
    print(f"{'kernels in':14} {os.environ.get('NUMBA_CACHE_DIR', 'default folder')}")


def version_of(name: str) -> str:
    """Return the version of an installed package, or "not installed"."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
