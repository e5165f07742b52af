"""What can befall files of all formats but CSV in particular: at random, and one by one."""

from . import mutations_of_new_formats as new
from . import mutations_of_parquet as parquet
from .mutations import BYTES, LINES, TEXT, mutated

HOSTILE = [
    b"1e999",
    b"-1e999",
    b"inf",
    b"-nan",
    b"1_000",
    b"0x10",
    b"1e-400",
    b"9" * 400,
    b"1.2.3",
    b"--1",
    b"\xe2\x88\x9e",
]


def hostile_number(rng, content):
    """Some number becomes an absurd one."""
    points = [place for place, byte in enumerate(content) if byte == ord(".")]
    place = points[rng.integers(len(points))]
    return content[: place - 1] + HOSTILE[rng.integers(len(HOSTILE))] + content[place + 2 :]


# TSV


def other_delimiter(rng, content):
    return content.replace(b"\t", [b",", b" ", b"    ", b";", b"\t\t"][rng.integers(5)])


def tab_lost(rng, content):
    tabs = [place for place, byte in enumerate(content) if byte == ord("\t")]
    place = tabs[rng.integers(len(tabs))]
    return content[:place] + content[place + 1 :]


def headers(content):
    """With another first name."""
    for name in (b"", b"age", b"class", b"size" * 5000, b'"size', b"\x1b[31m", b"__import__('os').mkdir('ran')"):
        yield name + content.removeprefix(b"size")


def very_wide(content):
    """Thousands of columns more, all named alike and all differently."""
    header, *rows = content.rstrip().split(b"\n")
    for name in (b"\tmore", b"\tmore%d"):
        more = b"".join(name % i if b"%" in name else name for i in range(3000))
        yield b"\n".join([header + more, *(row + b"\t1" * 3000 for row in rows[:20])])


# ARFF

DECLARATIONS = [
    b"@attribute", b"@attribute size", b"@attribute {red, green}", b"@attribute size {1, 2",
    b"@attribute 'size NUMERIC", b"@attribute size relational\n@attribute x numeric\n@end size",
    b"@attribute size date 'yyyy-MM-dd'", b"@attribute size numeric numeric",
    b"@attribute size " + b"{" * 20_000 + b"}" * 20_000, b"@attribute " + b"'\\'" * 20_000 + b" numeric",
    b"@attribute" + b" " * 50_000 + b"!", b"@attribute size string", b"@attribute 'age' NUMERIC",
    b"@inputs size", b"@attribute \xff NUMERIC", b"@attribute size \x00", b"@data",
    b"@attribute '\\x73ize\\n' real", b"@ATTRIBUTE\tsize\tInteger [0, 1] {0.5}", b"%@attribute 'size' NUMERIC",
    b"@attribute __import__('os').mkdir('ran') numeric",
]  # fmt: skip
ROWS = [b"{0 1, 3 Rome}", b"1,2,red,Rome,yes,{5}", b"'1,2,red,Rome,yes", b"\\", b"@data", b"%", b",,,,", b"?,?,?,?,?"]


def declarations(content):
    for declaration in DECLARATIONS:
        yield content.replace(b"@attribute 'size' NUMERIC", declaration)
    yield content.replace(b"{blue, green, red}", b"numeric")


def rows(content):
    for row in ROWS:
        yield content.replace(b"@DATA\n", b"@DATA\n" + row + b"\n")
    for mark in (b"", b"DATA", b"@DATUM", b"@DATA\n@DATA"):
        yield content.replace(b"@DATA", mark)


# LIBSVM

PAIRS = [
    b"4294967296:1", b"2147483647:1", b"2147483646:1", b"999999999:1", b"9223372036854775808:1", b"9" * 300 + b":1",
    b"-1:1", b"1:1 1:1", b"2:1 1:1", b"1:", b":1", b"1:1:1", b"1:1e999", b"1:nan", b"1:0x10", b"1 1", b"qid:1 1:1",
    b"0:1", b"a:b", b"1:'1'", b"1:1" + b" " * 50_000 + b"!", b"# all a comment", b"1.5:1",
]  # fmt: skip
LABELS = [
    b"",
    b"1e999",
    b"nan",
    b"0.5",
    b"yes",
    b"1,2",
    b"+1",
    b"-0",
    b"\xff",
    b"1" * 400,
    b"__import__('os').mkdir('ran')",
]


def pairs(content):
    for pair in PAIRS:
        yield b"0 " + pair + content[content.index(b"\n") :]


def few_rows(content):
    """So few that a table of all columns between the indices would seem to fit."""
    for index in (60_000_000, 2_000_000, 20_000):
        yield b"0 1:1 %d:1\n1 1:2\n1 1:3\n0 1:1\n" % index


def labels(content):
    for label in LABELS:
        yield label + content[1:]
    yield b"\n".join(row[:1] for row in content.split(b"\n"))


AT_RANDOM = {
    "tsv": [*BYTES, *TEXT, *LINES, hostile_number, other_delimiter, tab_lost],
    "arff": [*BYTES, *TEXT, *LINES, hostile_number],
    "libsvm": [*BYTES, *TEXT, *LINES, hostile_number],
    "parquet": [*BYTES, *parquet.AT_RANDOM],
}
NEW_AT_RANDOM = {
    "txt": [*BYTES, *TEXT, *LINES, hostile_number],
    "jsonl": [*BYTES, *TEXT, *LINES, hostile_number],
    "xlsx": [*BYTES, new.sheet_flipped, new.sheet_cut, new.sheet_flipped],
    "feather": [*BYTES, new.heads_flipped, new.heads_flipped],
}
ONE_BY_ONE = {
    "tsv": [headers, very_wide],
    "arff": [declarations, rows],
    "libsvm": [pairs, few_rows, labels],
    "parquet": parquet.ONE_BY_ONE,
    "txt": [new.alignments],
    "jsonl": [new.values, new.records, new.layouts],
    "xlsx": [new.parts, new.cells],
    "feather": [new.columns, new.packings, new.ends],
}


def spoiled(content, form):
    """Names and contents: fifty files spoiled at random, then all that are spoiled with intent."""
    yield from mutated(content, 50, {**AT_RANDOM, **NEW_AT_RANDOM}[form])
    for oddities in ONE_BY_ONE[form]:
        for number, odd in enumerate(oddities(content)):
            yield f"{oddities.__name__} {number}", odd
