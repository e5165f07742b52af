"""Whether a record that was read is one: fields of the right kind, and names that lead to no other folder."""

from collections.abc import Callable
from typing import Any

from ..files.checks import is_number

FORBIDDEN = frozenset("/\\:")  # they would make a name a path


def check_job(job: Any) -> None:
    """ValueError, in one line, where a Job cannot be the name of a file."""
    for what, name in {"data set": job.dataset, "method": job.method, "setting": job.setting}.items():
        if not is_plain_name(name):
            raise ValueError(f"the {what} {name!r} is no plain name")
    for what, number in {"repeat": job.repeat, "fold": job.fold}.items():
        if not _is_whole(number) or number < 0:
            raise ValueError(f"the {what} {number!r} is no number from 0 on")


def check_result(record: Any) -> None:
    """ValueError, in one line, where a field of a Record holds something else than it should."""
    for name, is_right in FIELDS.items():
        if not is_right(getattr(record, name)):
            raise ValueError(f"{name} is {str(getattr(record, name))[:40]!r}")
    of_classes = record.errors and record.honest_error is not None
    if record.failure is None and not of_classes and record.rmse is None:
        raise ValueError("neither errors nor a failure")


def is_plain_name(name: object) -> bool:
    """Whether a name is one part of a path that stays below its folder.

    Examples
    --------
    >>> [is_plain_name(name) for name in ("breast-w", "../iris", "a/b", "C:iris", "")]
    [True, False, False, False, False]
    """
    if not isinstance(name, str) or not name or not name.isprintable():
        return False
    return not name.startswith(".") and ".." not in name and FORBIDDEN.isdisjoint(name)


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _is_number(value: Any) -> bool:
    return type(value) is float or is_number(value)  # a loss may be infinite


def _is_error(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 100


def _or_none(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or is_right(value)


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


def _are_sizes(value: Any) -> bool:
    """Of the three intervals; an interval may reach to infinity."""
    return isinstance(value, list) and len(value) == 3 and all(_is_number(each) and each >= 0 for each in value)


def _are_shares(value: Any) -> bool:
    return _are_sizes(value) and all(each <= 1 for each in value)


def _is_size(value: Any) -> bool:
    return is_number(value) and value >= 0


OF_NUMBERS: dict[str, Callable[[Any], bool]] = {
    "r2": is_number,
    **dict.fromkeys(("mae", "rmse", "pinball", "spread", "excess", "noise"), _is_size),
    "width": _are_sizes,
    **dict.fromkeys(("coverage", "coverage_quiet", "coverage_loud"), _are_shares),
}
"""Fields that only records of numbers have."""

FIELDS: dict[str, Callable[[Any], bool]] = {
    "errors": lambda value: isinstance(value, list) and all(map(_is_error, value)),
    "honest_k": _or_none(_is_whole),
    "honest_error": _or_none(_is_error),
    "brier": _or_none(_is_number),
    "log_loss": _or_none(_is_number),
    "seconds": lambda value: is_number(value) and value >= 0,
    "parameters": _is(dict),
    "failure": _or_none(_is(str)),
    "shape": lambda value: len(value) == 3 and all(map(_is_whole, value)),
    "versions": _is(dict),
    **{name: _or_none(is_right) for name, is_right in OF_NUMBERS.items()},
}
"""What each field of a record must hold."""
