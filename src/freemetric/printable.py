"""Text of messages: content of files made safe to show, and counts of things."""


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
