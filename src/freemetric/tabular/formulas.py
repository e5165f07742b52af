"""Texts that a spreadsheet would run: a cell of a CSV file that begins with =, +, - or @ is a formula to it.

A spreadsheet may split a file at other separators than those it was written with, as those of most European countries
do at semicolons. Quotes in the middle of its cells mean nothing then, and what stands behind a separator is a cell.
"""

import re

BEGINNINGS = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # the last four are wide = + - @
SEPARATORS = re.compile("([,;\t\r\n])")
NUMBER = re.compile(r"[+-]?(\d[\d.,' \u00a0\u202f]*|[.,]\d+)([eE][+-]?\d+)?%?")


def inert(text: str) -> str:
    """The text with an apostrophe before what a spreadsheet would take for a formula, also behind a separator.

    Numbers stay as they are.

    Parameters
    ----------
    text : str
        A cell.

    Returns
    -------
    text : str
        What a spreadsheet shows as it is.

    Examples
    --------
    >>> [inert(text) for text in ("=1+1", "-1.5", "+1e-3", "-low", "-", "low", "low;=1+1")]
    ["'=1+1", '-1.5', '+1e-3', "'-low", '-', 'low', "low;'=1+1"]
    """
    if NUMBER.fullmatch(text):
        return text
    first, *others = SEPARATORS.split(text)
    others[1::2] = [f"'{part}" if _runs(part.lstrip('"')) else part for part in others[1::2]]
    return ("'" if _runs(text) else "") + first + "".join(others)


def _runs(text):
    """Whether a spreadsheet would run a cell."""
    return len(text) > 1 and text[0] in BEGINNINGS and not NUMBER.fullmatch(text)
