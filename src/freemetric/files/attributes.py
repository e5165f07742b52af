"""Which attributes an estimator may have in a file: its parameters, and what its fit is known to set."""

import inspect
import re
from collections.abc import Collection, Iterable

SECTION = re.compile(r"^Attributes\n-+\n(.*?)(?=^\S[^\n]*\n---|\Z)", re.MULTILINE | re.DOTALL)
NAMES = re.compile(r"^(\w[\w, ]*?) *:", re.MULTILINE)
OF_ANY_ESTIMATOR = {"n_features_in_", "feature_names_in_", "classes_", "_n_features_out", "_sklearn_output_config"}


def documented(cls: type) -> frozenset[str] | None:
    """Names in the section "Attributes" of a class, for the parameter ``attributes`` of :func:`register`.

    Parameters
    ----------
    cls : type
        A class with a numpydoc docstring.

    Returns
    -------
    names : frozenset of str or None
        None where there is no docstring, as under ``python -OO``.

    Examples
    --------
    >>> from sklearn.preprocessing import MaxAbsScaler
    >>> sorted(documented(MaxAbsScaler))
    ['feature_names_in_', 'max_abs_', 'n_features_in_', 'n_samples_seen_', 'scale_']
    """
    if cls.__doc__ is None:
        return None
    section = SECTION.search(inspect.cleandoc(cls.__doc__))
    lines = NAMES.findall(section[1]) if section else []
    return frozenset(name.strip() for line in lines for name in line.split(","))


def check_names(
    cls: type,
    names: Iterable[object],
    parameters: Collection[str],
    public: Collection[str] | None = None,
    private: Collection[str] = (),
) -> None:
    """ValueError where an attribute hides what the class provides, or is none that the class has.

    ``public`` and ``private`` are what its fit may set; None allows every public name with an underscore at its end.
    """
    known = {*parameters, *OF_ANY_ESTIMATOR, *private, *(public or ())}
    for name in names:
        if not isinstance(name, str) or name.startswith("__") or (hasattr(cls, name) and name not in parameters):
            raise ValueError(f"{cls.__name__} with an attribute {name!r} that hides what the class provides")
        if name not in known and not (public is None and _is_public(name)):
            raise ValueError(f"{cls.__name__} with an attribute {name!r}, which its fit is not known to set")


def _is_public(name):
    return name.endswith("_") and not name.startswith("_")
