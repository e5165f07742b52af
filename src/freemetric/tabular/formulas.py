"""Texts that a spreadsheet would run: a cell of a CSV file that begins with =, +, - or @ is a formula to it."""

import re

BEGINNINGS = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # the last four are wide = + - @
NUMBER = re.compile(r"[+-]?(\d[\d.,' \u00a0\u202f]*|[.,]\d+)([eE][+-]?\d+)?%?")


def inert(text: str) -> str:
    """The text with an apostrophe before it where a spreadsheet would take it for a formula; numbers stay as they are.

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
    >>> [inert(text) for text in ("=1+1", "-1.5", "+1e-3", "-low", "-", "low")]
    ["'=1+1", '-1.5', '+1e-3', "'-low", '-', 'low']
    """
    is_safe = len(text) < 2 or text[0] not in BEGINNINGS or NUMBER.fullmatch(text)
    return text if is_safe else f"'{text}"
