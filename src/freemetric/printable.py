"""Text of messages: content of files made safe to show, counts of things, and numbers with their errors."""

from math import isnan

LARGEST_WRITTEN_OUT = 1e15


def printable(text: object) -> str:
    """The text without line breaks and control characters, each of which becomes a blank.

    Examples
    --------
    >>> printable("two\\nlines\\x1b[31m")
    'two lines [31m'
    """
    return "".join(letter if letter.isprintable() else " " for letter in str(text))


def counted(n: int, noun: str, plural: str = "", form: str = "") -> str:
    """A number of things; ``form`` is the format of the number.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "row", form=","), counted(0, "class", "classes")
    ('1 row', '2,000 rows', '0 classes')
    """
    return f"{n:{form}} {noun if n == 1 else plural or noun + 's'}"


def verb(n: int, of_one: str, of_many: str) -> str:
    """The form of a verb for n things.

    Examples
    --------
    >>> verb(1, "is", "are"), verb(2, "is", "are")
    ('is', 'are')
    """
    return of_one if n == 1 else of_many


def measured(mean: float | None, error: float | None = None, decimals: int | None = None) -> str | None:
    """A mean and its standard error, None without a mean; ``decimals`` is None for units that only the owner knows.

    Examples
    --------
    >>> measured(123456.7, 1234.5), measured(1.23456), measured(0.000123456, 0.0000234), measured(1.5, 0.25, 2)
    ('123457 ± 1234', '1.235', '0.0001235 ± 2.3e-05', '1.50 ± 0.25')
    """

    def written(number, digits):
        if decimals is not None:
            return f"{number:.{decimals}f}"
        return f"{number:.0f}" if 10**digits <= abs(number) < LARGEST_WRITTEN_OUT else f"{number:.{digits}g}"

    if mean is None or isnan(mean):
        return None
    return written(mean, 4) + ("" if error is None or isnan(error) else f" ± {written(error, 2)}")
