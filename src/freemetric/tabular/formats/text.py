"""Files of text: bytes decoded, then read strictly as delimited fields, JSON (lines), ARFF or LIBSVM."""

import codecs
import csv
import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ...printable import counted
from ...text_files import csv_records, text_of
from ..notation import plain
from ..table import (
    BLANKS,
    LARGEST,
    InputError,
    ReadingOptions,
    Table,
    few,
    note,
    numbered,
    objects,
    quoted,
    typed_table,
)
from . import completed, named

MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins with the mark of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
WESTERN = "cp1252"  # Windows in western Europe; Latin-1 but for quotes and the euro
NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x19\x1b-\x1f\x7f\x81\x8d\x8f\x90\x9d]")  # controls, and gaps of cp1252
UTF_8_LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
MANY_IN_A_ROW = re.compile(rb"[\x80-\xff]{3,}")  # as in texts of other alphabets than the Latin
KANA = re.compile(rb"[\x82\x83]")  # begin Japanese letters, and are rare signs elsewhere
FOREIGN = re.compile(r"[^\s,;|\"]*[^\x00-\x7f][^\s,;|\"]*")  # a word with a letter that is not ASCII
HINT = "; --encoding NAME says what it is: cp1252, cp1251, cp850, shift-jis, gb18030, ..."
NOT_ASCII = bytes(range(0x80, 0x100))
SOME = 4096  # bytes that tell UTF-16 by its zeros
MARK, END_OF_FILE = "\ufeff", "\x1a"  # the second is of DOS


def decoded(source: str, content: bytes, encoding: str | None) -> str:
    """The text of a file without byte-order marks.

    Without an ``encoding`` it is that of a byte-order mark, else UTF-8 if the text is valid, else cp1252 with a warning
    that shows a word.
    """
    chosen = _encoding_of(content) if encoding is None else encoding
    try:
        text = text_of(source, content, InputError, chosen, "" if b"\0" in content else HINT).rstrip(END_OF_FILE)
    except (LookupError, UnicodeError) as problem:  # a codec that is none of texts
        raise InputError(f"{source}: cannot be read as {chosen} ({problem})") from problem
    if encoding is None and chosen not in (*MARKS.values(), "utf-8-sig"):
        example = FOREIGN.search(text)
        shown = f" ({quoted(example[0])})" if example else ""
        why = "no mark says its encoding" if chosen.startswith("utf") else "not UTF-8"
        note(f"{source}: {why}; read as {chosen}{shown}; --encoding NAME says otherwise")
    text = text.removeprefix(MARK)
    if inside := re.search(rf"[\r\n]{MARK}", text):
        why = "a second file begins here (a byte-order mark): take them apart"
        raise InputError(f"{source}, line {text.count(chr(10), 0, inside.end()) + 1}: {why}")
    if n := text.count(MARK):  # elsewhere it is an invisible blank
        note(f"{source}: byte-order marks inside the text are left out, {n} of them")
    return text.replace(MARK, "")


def _encoding_of(content: bytes) -> str:
    """What the bytes suggest; UTF-8 where they suggest nothing."""
    marked = next((name for mark, name in MARKS.items() if content.startswith(mark)), None)
    if marked:
        return marked
    even, odd = content[:SOME:2], content[1:SOME:2]
    for name, high, low in [("utf-16-le", odd, even), ("utf-16-be", even, odd)]:
        if 2 * high.count(0) > len(high) and not low.count(0):
            return name
    try:
        content.decode()
    except UnicodeDecodeError:
        return WESTERN if _may_be_western(content) else "utf-8-sig"
    return "utf-8-sig"


def _may_be_western(content: bytes) -> bool:
    """Whether there are no control characters, and it is neither mostly UTF-8 nor of another alphabet."""
    rest, letters = UTF_8_LETTER.subn(b"", content)
    if NO_TEXT.search(content) or letters > len(rest) - len(rest.translate(None, NOT_ASCII)):
        return False
    unlikely = sum(map(len, MANY_IN_A_ROW.findall(content))) + len(KANA.findall(content))
    return 2 * unlikely <= len(content) - len(content.translate(None, NOT_ASCII))


DELIMITERS = ";\t|,"
DECLARED = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)  # a first line that Excel writes and reads
COMMENTS = re.compile(r"(?:[ \t]*#.*(?:\r\n|\r|\n))+")


def read_delimited(source: str, content: bytes, options: ReadingOptions, delimiters: str, usual: str) -> Table:
    """The table by the first delimiter that makes one; a warning names an unusual one."""
    text, delimiter = decoded(source, content, options.encoding), options.delimiter
    declared = DECLARED.match(text)
    if declared and delimiter is None:
        delimiter, text = declared[1], "\n" * declared[0].count("\n") + text[declared.end() :]
    if delimiter is None:
        records, lines = _recognised(source, text, delimiters, usual, bool(options.header))
    else:
        records, lines = _records(source, text, delimiter)
    if not options.header:
        return from_rows(source, numbered(len(records[0])), records, lines, options.missing)
    where = f"{source}, line {lines[0]}"
    header, rows = completed(source, records[0], records[1:])
    header = named(where, header)
    other = next((mark for mark in DELIMITERS if len(header) == 1 and mark in header[0]), None)
    hint = f"one column, {quoted(header[0])}: --delimiter {other!r}?" if other and delimiter is None else ""
    if not rows:
        raise InputError(f"{source}: a header and no rows{hint and '; '}{hint}")
    if hint:
        raise InputError(f"{source}: {hint}")
    fractions = [name for name in header if math.isfinite(plain(name)) and plain(name) % 1]  # 0, 1, 2, ... are names
    if 2 * len(fractions) >= len(header):
        guess = "are taken for names of columns; --no-header reads a file without names"
        note(f"{where}: {few(fractions, 3)} {guess}")
    return from_rows(source, header, rows, lines[1:], options.missing)


def _records(source, text, delimiter):
    if delimiter == BLANKS:
        text = re.sub(r" ?(\r\n|\r|\n|\A|\Z) ?", r"\1", re.sub(r"[ \t]+", " ", text))
    return csv_records(source, text, InputError, delimiter)


def _recognised(source, text, delimiters, usual, header):
    """The records and their lines by the first delimiter with which they are a table, else by the first one.

    In a table there are at least two columns, and every row has as many fields, or all have one more.
    """
    variants = list(_uncommented(text, delimiters))[0 if header else -1 :]  # the last has no comments
    for delimiter in delimiters:
        for variant in variants:
            with suppress(InputError):
                records, lines = _records(source, variant, delimiter)
                width, widths = len(records[0]), set(map(len, records[1:]))
                is_table = width > 1 and (not widths or widths in ({width}, {width + 1}))
                if is_table and (delimiter == usual or len(records) > 1):
                    if delimiter != usual:
                        how = "blanks between the columns" if delimiter == BLANKS else f"the delimiter {delimiter!r}"
                        note(f"{source}: read with {how}")
                    return records, lines
    return _records(source, variants[-1], delimiters[0])


def _uncommented(text: str, delimiters: str) -> Iterator[str]:
    """The text; if it begins with comments, with the last of them as names, and without any."""
    comments = COMMENTS.match(text) if BLANKS in delimiters else None
    if comments is None:
        yield text
        return
    *others, last = comments[0].splitlines()
    rest = text[comments.end() :]
    first, _, second = rest.partition("\n")
    if _has_number(first) or not _has_number(second.partition("\n")[0]):  # the first line is no line of names
        yield "\n" * len(others) + last.strip().lstrip("# ") + "\n" + rest
    yield "\n" * (len(others) + 1) + rest


def _has_number(line):
    return any(math.isfinite(plain(word)) for word in re.split(r"[\s,;|\"]+", line) if word)


def from_rows(
    source: str, names: Sequence[str], rows: Any, lines: Sequence[int], missing: Collection[str], kinds: Any = None
) -> Table:
    """The table of rows of text; ``kinds`` are those that the file declares, by column."""
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(names):
            what = f"{counted(len(row), 'field')} in a table of {counted(len(names), 'column')}"
            raise InputError(f"{source}, line {line}: {what}")
    columns = zip(*rows, strict=True)
    cells = (objects(None if text in missing else text for text in column) for column in columns)
    return Table(source, dict(zip(names, cells, strict=True)), kinds or {}, lines)


MANY_CELLS, MOST_PER_BYTE = 2 * 10**6, 10  # rows that have no name in common would be mostly gaps
SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which cannot be written to a file


def read_json(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a file of JSON lines, or of one array of records; a name that a row lacks is a gap."""
    text, lines = decoded(source, content, options.encoding), None
    if text.lstrip().startswith("["):
        rows = [_record(f"{source}, record {i}", record) for i, record in enumerate(_parsed(source, text), 1)]
    else:
        found = [(i, f"{source}, line {i}", line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
        rows, lines = [_record(where, _parsed(where, line)) for _, where, line in found], [i for i, *_ in found]
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise InputError(f"{source}: {'rows without columns' if rows else 'no rows'}")
    if len(rows) * len(names) > max(MANY_CELLS, MOST_PER_BYTE * len(content)):
        raise InputError(f"{source}: {len(names)} different names in {len(rows)} rows are too many for a table")
    named(source, names)
    return typed_table(source, {name: [row.get(name) for row in rows] for name in names}, options.missing, lines)


def _parsed(where: str, text: str) -> Any:
    """What JSON holds; an object, in which a name may occur twice, is a tuple of pairs."""
    try:
        return json.loads(text, object_pairs_hook=tuple)
    except (ValueError, RecursionError) as problem:
        what = "too deeply nested" if isinstance(problem, RecursionError) else str(problem)
        raise InputError(f"{where}: not a record in JSON ({what})") from problem


def _record(where: str, record: Any) -> dict[str, Any]:
    if not isinstance(record, tuple):
        hint = "pandas writes such by to_json(orient='records')"
        raise InputError(f"{where}: {quoted(json.dumps(record))} is no record, {{name: value, ...}}; {hint}")
    row = {name.strip(): value for name, value in record}
    if len(row) < len(record):
        raise InputError(f"{where}: a name stands twice in a record")
    nested = next((name for name, value in row.items() if isinstance(value, list | tuple)), None)
    if nested is not None:
        raise InputError(f"{where}: {quoted(nested)} holds several values, which are no cell of a table; flatten it")
    if any(SURROGATE.search(part) for pair in row.items() for part in pair if isinstance(part, str)):
        raise InputError(f"{where}: half a character, an escape such as \\ud800 without its other half")
    return row


LABEL = "label"  # what the class of a LIBSVM file is called
Numbered = tuple[int, str]  # a line and its number

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{'\"][^\s{{]*)\s*(\{{.*\}}.*|[^{{].*)", re.IGNORECASE)
KINDS = {"numeric": "numeric", "real": "numeric", "integer": "numeric", "string": "nominal", "date": "date"}


def read_arff(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of an ARFF file; kinds are as declared."""
    stripped = (line.strip() for line in decoded(source, content, options.encoding).splitlines())
    lines = [(number, line) for number, line in enumerate(stripped, 1) if line and not line.startswith("%")]
    start = next((i for i, (_, line) in enumerate(lines) if line.lower().startswith("@data")), None)
    if start is None:
        raise InputError(f"{source}: no line @data")
    kinds = _attributes(source, lines[:start])
    rows = [_fields(source, number, line) for number, line in lines[start + 1 :]]
    if not rows:
        raise InputError(f"{source}: attributes and no rows")
    numbers = [number for number, _ in lines[start + 1 :]]
    return from_rows(source, list(kinds), rows, numbers, options.missing, kinds)


def _attributes(source: str, lines: Iterable[Numbered]) -> dict[str, str]:
    names, kinds = [], []
    for number, line in lines:
        if line.lower().startswith("@relation"):
            continue
        attribute = ATTRIBUTE.fullmatch(line)
        declared = attribute[2] if attribute else "?"
        kind = "nominal" if declared.startswith("{") else KINDS.get(declared.split()[0].lower())
        if not attribute or not kind:
            raise InputError(f"{source}, line {number}: {quoted(line)} is no attribute of a known kind")
        name = attribute[1]
        names.append(re.sub(r"\\(.)", r"\1", name[1:-1]) if name[0] in "'\"" else name)
        kinds.append(kind)
    if not names:
        raise InputError(f"{source}: no line @attribute")
    return dict(zip(named(f"{source}, header", names), kinds, strict=True))


def _fields(source: str, number: int, line: str) -> list[str]:
    if line.startswith("{"):
        raise InputError(f"{source}, line {number}: a sparse row; only dense ARFF files are read")
    quote = '"' if '"' in line and "'" not in line else "'"
    try:
        (fields,) = csv.reader([line], quotechar=quote, escapechar="\\", skipinitialspace=True, strict=True)
    except (csv.Error, ValueError) as problem:
        raise InputError(f"{source}, line {number}: {problem}") from problem
    return [field.strip() for field in fields]


def read_libsvm(source: str, content: bytes, options: ReadingOptions) -> Table:
    """The table of a LIBSVM file; a column that a file does not mention is zero.

    scikit-learn's reader would refuse indices beyond 31 bits and not say which line is at fault.
    """
    found = [(i, line.partition(b"#")[0].split()) for i, line in enumerate(content.split(b"\n"), 1)]
    rows = [_labelled(source, number, fields) for number, fields in found if fields]
    if not rows:
        raise InputError(f"{source}: no rows")
    # only the indices of the file: one of ten digits must not need as many columns
    indices = sorted(set().union(*(pairs for _, pairs in rows)))
    if len(rows) * len(indices) * 8 > LARGEST:
        raise InputError(f"{source}: {len(rows)} rows of {len(indices)} features are too many to fill in the zeros")
    place = {index: i for i, index in enumerate(indices)}
    values = np.zeros((len(indices), len(rows)))
    for row, (_, pairs) in enumerate(rows):
        values[[place[index] for index in pairs], row] = list(pairs.values())
    columns = {LABEL: np.array([label for label, _ in rows]), **dict(zip(map(str, indices), values, strict=True))}
    lines = [number for number, fields in found if fields]
    return Table(source, columns, dict.fromkeys(columns, "numeric"), lines, target=LABEL, sparse=True)


def _labelled(source: str, number: int, fields: list[bytes]) -> tuple[float, dict[int, float]]:
    try:
        label, *rest = fields
        pairs = [pair.split(b":") for pair in rest if not pair.startswith(b"qid:")]
        values = {int(index): float(value) for index, value in pairs}
        numbers = b"_" not in b"".join(fields) and all(index.isdigit() for index, _ in pairs)  # float skips _
        if len(values) < len(pairs) or np.isinf(float(label)) or not numbers:
            raise ValueError("an index twice, no index, or no class")
        return float(label) + 0.0, values  # -0 is 0
    except ValueError as problem:
        raise InputError(f"{source}, line {number}: not a label and index:value pairs") from problem
