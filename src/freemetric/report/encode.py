"""Values for the page: compact, and harmless whatever they say."""

import base64
import json
import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

LONGEST_TEXT = 120
LARGEST_WHOLE = 1e15  # that is written out
UNRULY = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")  # controls, line ends, directions


def evenly(n: int, most: int) -> NDArray[np.intp]:
    """Numbers below n, at most so many of them, from the first to the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(np.intp))


def packed(values: ArrayLike, kind: str = "f4") -> dict[str, str]:
    """Numbers as base64, little-endian; the page knows the kinds f4, f8 and i4."""
    return {kind: base64.b64encode(np.ascontiguousarray(values, dtype=f"<{kind}").tobytes()).decode()}


def column(name: object, values: Any) -> dict[str, Any]:
    """One column of the user's table: numbers, or texts by their number among those that occur."""
    try:
        return {"name": clipped(name), "numbers": packed(np.asarray(values, dtype=np.float64))}
    except (TypeError, ValueError):
        levels, codes = np.unique([cell(value) for value in values], return_inverse=True)
        return {"name": clipped(name), "levels": levels.tolist(), "codes": packed(codes, "i4")}


def cell(value: Any) -> str:
    """A cell of the user's table as a text: numbers as one would write them, a gap in words.

    Examples
    --------
    >>> cell(1250.0), cell(0.1 + 0.2), cell(None), cell("red")
    ('1250', '0.3', 'missing', 'red')
    """
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return "missing"
    if not isinstance(value, float | np.floating):
        return clipped(value)
    number = float(value)
    return str(int(number)) if number == round(number, 0) and abs(number) < LARGEST_WHOLE else f"{number:.7g}"


def clipped(text: object, most: int = LONGEST_TEXT) -> str:
    """A text that a page has room for, without letters that would turn, hide or break what stands around it.

    Of a longer one the beginning and the end are left: names that begin alike often differ at the end.
    """
    harmless = UNRULY.sub(" ", str(text)).encode("utf-8", "replace").decode()
    tail = most // 3
    return harmless if len(harmless) <= most else f"{harmless[: most - tail - 1]}…{harmless[-tail:]}"


def rounded(values: Any, digits: int = 5) -> Any:
    """Nested lists of numbers with so many significant digits, None for what is no number."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, list | tuple):
        return [rounded(value, digits) for value in values]
    if values is None or not np.isfinite(values):
        return None
    return values if isinstance(values, int) else float(f"{values:.{digits}g}")


def for_script(value: Any) -> str:
    """JSON that can stand inside a script element: nothing in it can close the element or open another."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
