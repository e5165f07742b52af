"""What can befall JSON lines, Excel, Feather and aligned text."""

import io
import json
import re
import zipfile

import pyarrow as pa
import pyarrow.feather as feather

# JSON lines

VALUES = [
    "{}", "[]", "[[1]]", '{"a": {"b": []}}', "1e999", "-Infinity", "NaN", "9" * 400, "9" * 5000, '"\\ud800"',
    '"\\u0000"', '"\x1b[31m"', "'a'", "01", "+1", "1_000", "0x10", "tru", '"' + "g" * 50_000 + '"', "", "1}{",
    '"__import__(\'os\')"', "1, \"age\": 2", "[" * 20_000, "null",
]  # fmt: skip


def values(content):
    """One cell is something else."""
    for value in VALUES:
        yield re.sub(rb'("size":)[^,]*', lambda found, value=value: found[1] + value.encode(), content, count=1)


def records(content):
    """One line is something else."""
    for line in (
        b"[]",
        b"{}",
        b"3",
        b"null",
        b'"text"',
        b"{",
        b"]",
        b"\xff",
        b'{"": 1}',
        b'{"new": 1}',
        b"[{}]",
        b"//",
    ):
        yield line + b"\n" + content


def layouts(content):
    rows = [json.loads(line) for line in content.splitlines()]
    for other in (
        rows,
        {"data": rows},
        {"size": {str(i): row["size"] for i, row in enumerate(rows)}},
        rows[:1],
        [rows],
    ):
        yield json.dumps(other).encode()


# Excel

SHEET = "xl/worksheets/sheet1.xml"


def edited(content, part, edit):
    """A workbook with one of its parts changed; None removes it."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    changed = edit(parts[part])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, old in parts.items():
            if name != part or changed is not None:
                archive.writestr(name, changed if name == part else old)
    return file.getvalue()


def sheet_flipped(rng, content):
    """Letters of its XML."""

    def flip(xml):
        spoiled = bytearray(xml)
        for place in rng.integers(len(xml), size=int(rng.integers(1, 4))):
            spoiled[place] = int(rng.integers(32, 127))
        return bytes(spoiled)

    return edited(content, SHEET, flip)


def sheet_cut(rng, content):
    return edited(content, SHEET, lambda xml: xml[: int(rng.integers(len(xml)))])


def parts(content):
    """Some part is missing, empty or another."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
    for name in names:
        for new in (None, b"", b"<x/>", b"\xff\xfe"):
            yield edited(content, name, lambda _, new=new: new)


CELLS = [
    b'<c r="A2" t="e"><v>#REF!</v></c>', b'<c r="A2" t="n"><v>1e999</v></c>', b'<c r="A2" t="n"><v>nan</v></c>',
    b'<c r="A2" t="s"><v>99999</v></c>', b'<c r="A2" t="b"><v>7</v></c>', b'<c r="A2" t="d"><v>2020-13-45</v></c>',
    b'<c r="A2"><f>1/0</f></c>', b'<c r="A2" t="inlineStr"><is><t>\xe2\x88\x9e</t></is></c>', b'<c r="AAAA2"/>',
    b'<c r="XFD2"><v>1</v></c>', b'<c r="2A"><v>1</v></c>', b'<c r="A2" s="9999"><v>1</v></c>', b'<c><v>1</v></c>',
    b'<c r="A2" t="?"><v>1</v></c>', b'<c r="A2" t="str"><f>CMD()</f><v>=1+1</v></c>', b"<c/>",
]  # fmt: skip


def cells(content):
    for cell in CELLS:
        yield edited(content, SHEET, lambda xml, cell=cell: re.sub(rb'<c r="A2".*?</c>', cell, xml, count=1))


# aligned text


def alignments(content):
    """Other blanks, other ends of lines, names in comments, and a line with a field more or less."""
    header, rest = content.split(b"\n", 1)
    yield from (content.replace(b" ", b"\t"), content.replace(b" ", b"   "), content.replace(b"\n", b"   \r\n"))
    yield from (b"#" + content, b"# a comment\n" + content, b"#\n#\n#" + content, b"#\n" * 50_000, b"# " * 50_000)
    yield from (header + b" more\n" + rest, header[:-5] + b"\n" + rest, content + b"1 2\n", content + b"1 2 3 4 5 6\n")


# Feather


def heads_flipped(rng, content):
    spoiled = bytearray(content)
    for place in rng.integers(8, 1500, size=int(rng.integers(1, 6))):
        spoiled[place] ^= 1 << int(rng.integers(8))
    return bytes(spoiled)


def columns(content):
    table = feather.read_table(io.BytesIO(content))
    n = table.num_rows
    for odd in [
        pa.array([[1.0]] * n),
        pa.array([b"\xff\xfe"] * n),
        pa.nulls(n),
        pa.array([float("inf")] * n),
        pa.array([2**62] * n, pa.timestamp("us")),
        pa.array(["\x1b[31m\0"] * n),
        pa.Array.from_buffers(pa.string(), n, [None, *pa.array([b"\xff\xfe"] * n).buffers()[1:]]),
    ]:
        file = io.BytesIO()
        feather.write_feather(table.set_column(0, "size", odd), file)
        yield file.getvalue()


def packings(content):
    """The same in other words."""
    table = feather.read_table(io.BytesIO(content))
    for compression in ("uncompressed", "lz4", "zstd"):
        for size in (7, 60):
            file = io.BytesIO()
            feather.write_feather(table, file, compression=compression, chunksize=size)
            yield file.getvalue()


def ends(content):
    yield from (
        content[:-6],
        content[8:],
        content[:8],
        content + b"ARROW1",
        b"ARROW1\0\0ARROW1",
        content[:-6] + b"ARROW2",
    )
