"""Text that a file brought, made safe to show."""


def printable(text: object) -> str:
    """The text without line breaks and control characters, each of which becomes a blank.

    Examples
    --------
    >>> printable("two\\nlines\\x1b[31m")
    'two lines [31m'
    """
    return "".join(letter if letter.isprintable() else " " for letter in str(text))
