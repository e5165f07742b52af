"""The page of an evaluation in words and numbers, for those who do not see its figures."""

from collections.abc import Iterable, Mapping
from typing import Any

from .encode import clipped

LONGEST_NAME = 60
LARGEST_WRITTEN_OUT = 1e15
NONE = "\N{EN DASH}"

Row = Mapping[str, Any]
Pairs = list[tuple[str, str]]


def best_of(found: Mapping[str, Any]) -> Row | None:
    """The result of the lowest error of one file; None of several files, or where all methods failed."""
    rows = [row for row in found["results"] if row["method"] != found["baseline"] and row["error"] is not None]
    return None if has_several(found) else min(rows, key=lambda row: row["error"], default=None)


def facts(found: Mapping[str, Any], of_best: Pairs) -> Pairs:
    """Names and values for the head of the page: of the best method, or how many files there are."""
    files = [("files", f"{len({row['file'] for row in found['results']}):,}")]
    return [*(of_best or files), ("cross-validation", f"{found['repeats']} x {found['folds']} folds")]


def error_of_constant(found: Mapping[str, Any], title: str) -> Pairs:
    """The error of an answer that is always the same."""
    errors = [row["error"] for row in found["results"] if row["method"] == found["baseline"]]
    return [(title, f"{errors[0]:.2f} %")] if errors and errors[0] is not None else []


def header(found: Mapping[str, Any]) -> list[str]:
    """Of the table of scores."""
    return [*_file(found), "method", "error in %", *map(score_title, shown_scores(found)), "seconds"]


def cells(found: Mapping[str, Any]) -> list[list[str]]:
    """Rows of the table of scores, means with their standard errors."""
    return [
        [
            *identity(found, row),
            _failed(row) or with_error(row["error"], row["uncertainty"], 2),
            *(score_words(row, score) for score in shown_scores(found)),
            f"{row['seconds']:.2f}",
        ]
        for row in found["results"]
    ]


def table_of(found: Mapping[str, Any], titles: Iterable[str], lines: Iterable[tuple[Row, Iterable[str]]]) -> Any:
    """Header and rows of a table with a line for every file and method that has something to say."""
    return [*_file(found), "method", *titles], [[*identity(found, row), *words] for row, words in lines]


def identity(found: Mapping[str, Any], row: Row) -> list[str]:
    """What a line of a table is about."""
    return [*([clipped(row["file"], LONGEST_NAME)] if has_several(found) else []), row["method"]]


def _file(found):
    return ["file"] if has_several(found) else []


def has_several(found: Mapping[str, Any]) -> bool:
    """Whether there are several files."""
    return len({row["file"] for row in found["results"]}) > 1


def shown_scores(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Those that nothing else on the page tells."""
    return [score for score in found["scores"] if not score["aside"]]


def score_title(score: Mapping[str, Any]) -> str:
    """With the unit."""
    return clipped(f"{score['title']} in %" if score["in_percent"] else score["title"])


def score_words(row: Row, score: Mapping[str, Any]) -> str:
    """Mean and standard error of a score."""
    told = row["scores"].get(score["name"])
    if told is None:
        return NONE
    if score["in_units"]:
        return in_units(told["mean"], told["uncertainty"])
    unit, digits = (100, 2) if score["in_percent"] else (1, 3)
    return with_error(_times(unit, told["mean"]), _times(unit, told["uncertainty"]), digits)


def with_error(mean: float | None, error: float | None, digits: int) -> str:
    """A number that is none, NaN or None, is a dash."""
    if not _is_number(mean):
        return NONE
    return f"{mean:.{digits}f}" + (f" \u00b1 {error:.{digits}f}" if _is_number(error) else "")


def in_units(mean: float | None, error: float | None = None) -> str:
    """A number of any size, in a unit that only its owner knows.

    Examples
    --------
    >>> in_units(123456.7, 1234.5), in_units(1.23456), in_units(0.000123456, 0.0000234)
    ('123457 ± 1234', '1.235', '0.0001235 ± 2.3e-05')
    """
    if not _is_number(mean):
        return NONE
    return _significant(mean, 4) + (f" \u00b1 {_significant(error, 2)}" if _is_number(error) else "")


def _significant(number, digits):
    """So many digits, and all of those before the point."""
    return f"{number:.0f}" if 10**digits <= abs(number) < LARGEST_WRITTEN_OUT else f"{number:.{digits}g}"


def _is_number(value):
    return value is not None and value == value


def _times(unit, value):
    return None if value is None else unit * value


def _failed(row):
    return "" if row["error"] is not None else "over the limit" if row["over_limit"] else "failed"
