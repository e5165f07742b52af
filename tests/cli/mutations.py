"""A seeded spoiler of files: what befalls any bytes, any text, and CSV; the other formats have theirs beside it."""

import numpy as np


def _lines(content):
    return content.split(b"\n")


def cut(rng, content):
    return content[: rng.integers(len(content))]


def inserted(rng, content):
    place = rng.integers(len(content))
    return content[:place] + rng.bytes(int(rng.integers(1, 20))) + content[place:]


def flipped(rng, content):
    spoiled = bytearray(content)
    for place in rng.integers(len(content), size=10):
        spoiled[place] ^= 1 << int(rng.integers(8))
    return bytes(spoiled)


def nul(rng, content):
    place = rng.integers(len(content))
    return content[:place] + b"\0" * 3 + content[place:]


def semicolons(rng, content):
    return content.replace(b",", b";")


def quotes(rng, content):
    place = rng.integers(len(content))
    return content[:place] + b'"' + content[place:]


def doubled_header(rng, content):
    return content.replace(b"age", b"size", 1)


def other_encoding(rng, content):
    return content.replace(b"red", "röt".encode("latin-1"))


def utf_16(rng, content):
    return content.decode().encode("utf-16")


def huge_field(rng, content):
    return content.replace(b"green", b"g" * int(rng.integers(10_000, 300_000)), 1)


def empty(rng, content):
    return [b"", b"\n", b"\n\n\n", b" ", b"\xef\xbb\xbf", b",,,,\n", b'""'][rng.integers(7)]


def header_only(rng, content):
    return _lines(content)[0] + b"\n"


def one_row(rng, content):
    return b"\n".join(_lines(content)[: int(rng.integers(2, 4))])


def single_class(rng, content):
    return content.replace(b"yes", b"no")


def no_column_of_use(rng, content):
    rows = [row.split(b",") for row in _lines(content) if row]
    gone = int(rng.integers(5))
    return b"\n".join(
        b",".join(b"?" if i == gone and n else f for i, f in enumerate(row)) for n, row in enumerate(rows)
    )


def numbers_out_of_range(rng, content):
    absurd = [b"1e400", b"inf", b"-1e308", b"nan", b"1_000", b"0x10", b"1e-400", b"\xe2\x88\x9e"][rng.integers(8)]
    rows = _lines(content)
    row = int(rng.integers(1, len(rows) - 1))
    rows[row] = absurd + rows[row][rows[row].index(b",") :]
    return b"\n".join(rows)


def rows_doubled_and_lost(rng, content):
    rows = _lines(content)
    return b"\n".join([rows[0], *(rows[i] for i in rng.integers(1, len(rows) - 1, size=20))])


def control_characters(rng, content):
    return content.replace(b"colour", b"\x1b[31m\x07colour", 1).replace(b"blue", b"\x1b]0;x\x07", 3)


def carriage_returns(rng, content):
    return content.replace(b"\n", b"\r" if rng.random() < 0.5 else b"\r\n")


def wide(rng, content):
    rows = _lines(content)
    rows[int(rng.integers(1, len(rows)))] += b",1" * 500
    return b"\n".join(rows)


def lines_lost(rng, content):
    return b"\n".join(row for row in _lines(content) if rng.random() < 0.8)


def lines_doubled(rng, content):
    return b"\n".join(row for row in _lines(content) for _ in range(1 + (rng.random() < 0.2)))


def lines_shuffled(rng, content):
    rows = _lines(content)
    return b"\n".join(rows[i] for i in rng.permutation(len(rows)))


def other_file(rng, content):
    """Of another kind, under a name of this one."""
    pickled = b"cbuiltins\nopen\n(Vran\nVw\ntR."  # would leave a file called ran
    return [pickled, b"PK\x03\x04" + rng.bytes(200), b"\x1f\x8b" + rng.bytes(200), b"<html>\n</html>"][rng.integers(4)]


BYTES = [cut, inserted, flipped, nul, other_file]
TEXT = [quotes, other_encoding, utf_16, huge_field, empty, one_row, single_class, control_characters, carriage_returns]
LINES = [lines_lost, lines_doubled, lines_shuffled]
CSV = [
    cut, inserted, flipped, nul, semicolons, quotes, doubled_header, other_encoding, utf_16, huge_field, empty,
    header_only, one_row, single_class, no_column_of_use, numbers_out_of_range, rows_doubled_and_lost,
    control_characters, carriage_returns, wide,
]  # fmt: skip


def mutated(content, count, mutators=CSV):
    """Spoiled copies of a file, each by one or two of the mutators in turn."""
    rng = np.random.default_rng(7)
    for i in range(count):
        mutator = mutators[i % len(mutators)]
        spoiled = mutator(rng, content)
        again = mutators[rng.integers(5)]
        yield mutator.__name__, again(rng, spoiled) if rng.random() < 0.3 and spoiled else spoiled
