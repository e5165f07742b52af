"""Sheets as Excel and pandas write them, headers as people draw them, and workbooks that would do harm."""

import io
import itertools
import re
import time
import zipfile
from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest

from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, Schema, read

openpyxl = pytest.importorskip("openpyxl")

ROWS = [
    ["size", "when", "ok", "colour", "class"],
    [1.5, datetime(2020, 1, 2), True, "red", 1],
    [None, date(2020, 1, 3), False, " NA", 0],
    [3, datetime(2021, 1, 3, 12, 30), True, "blue ", 1],
]
SHEET = "xl/worksheets/sheet1.xml"

# a workbook by hand, as Excel writes one: shared texts, a date by its style, a formula with its value, an error
BY_HAND = {
    "[Content_Types].xml": """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>
<Override PartName="/xl/styles.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>
<Override PartName="/xl/sharedStrings.xml"
 ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>""",
    "_rels/.rels": """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Target="xl/workbook.xml"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>""",
    "xl/_rels/workbook.xml.rels": """<Relationships
 xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Target="worksheets/sheet1.xml"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/>
<Relationship Id="r2" Target="styles.xml"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"/>
<Relationship Id="r3" Target="sharedStrings.xml"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"/></Relationships>""",
    "xl/workbook.xml": """<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"
 xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">
<sheets><sheet name="Tabelle1" sheetId="1" r:id="r1"/></sheets></workbook>""",
    "xl/styles.xml": """<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<fonts count="1"><font/></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills>
<borders count="1"><border/></borders>
<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>
</styleSheet>""",
    "xl/sharedStrings.xml": """<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<si><t>Tag</t></si><si><t>Größe</t></si><si><t>doppelt</t></si><si><r><t>Far</t></r><r><t>be</t></r></si>
<si><t>rot</t></si></sst>""",
    SHEET: """<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:XFD9"/>
<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c>
<c r="D1" t="s"><v>3</v></c></row>
<row r="3"><c r="A3" s="1"><v>43832</v></c><c r="B3"><v>1.5</v></c><c r="C3"><f>B3*2</f><v>3</v></c>
<c r="D3" t="s"><v>4</v></c></row>
<row r="4"><c r="A4" s="1"><v>43833.5</v></c><c r="B4"><v>2</v></c><c r="C4" t="e"><f>1/0</f><v>#DIV/0!</v></c>
<c r="D4" t="s"><v>4</v></c></row></sheetData></worksheet>""",
}


def book(rows, others=(), merged=()):
    made = openpyxl.Workbook()
    made.active.title = "Data"
    for row in rows:
        made.active.append(row)
    for place in merged:
        made.active.merge_cells(place)
    for name in others:
        made.create_sheet(name).append(["x"])
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def zipped(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def edited(content, part, edit):
    """A workbook with one of its parts changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return zipped({**parts, part: edit(parts[part])})


@pytest.fixture
def put(tmp_path):
    def write(content):
        (tmp_path / "a.xlsx").write_bytes(content if isinstance(content, bytes) else book(content))
        return tmp_path / "a.xlsx"

    return write


def test_types(put):
    table = read(put(ROWS))
    np.testing.assert_array_equal(table.numbers("size"), [1.5, np.nan, 3])
    assert table.texts("when").tolist() == ["2020-01-02", "2020-01-03", "2021-01-03 12:30:00"]
    assert table.texts("ok").tolist() == ["True", "False", "True"]
    assert table.texts("colour").tolist() == ["red", None, "blue"]
    assert table.texts("class").tolist() == ["1", "0", "1"]
    with pytest.warns(DataWarning, match="column 'when' read as dates"):
        kinds = [column.kind for column in Schema.infer(table, "class").columns]
    assert kinds == ["numeric", "date", "nominal", "nominal"]


def test_as_excel_writes_it(put):
    with pytest.warns(DataWarning, match="errors such as '#DIV/0!' are gaps, in 1 of the cells"):
        table = read(put(zipped(BY_HAND)))
    assert table.texts("Tag").tolist() == ["2020-01-02", "2020-01-03 12:00:00"]
    np.testing.assert_array_equal(table.numbers("doppelt"), [3, np.nan])
    assert table.texts("Farbe").tolist() == ["rot", "rot"]
    assert table.place(1) == f"{table.source}: row 2 (line 4)"


def test_as_pandas_reads_it(mixed, tmp_path):
    mixed.to_excel(tmp_path / "a.xlsx")
    table, expected = read(tmp_path / "a.xlsx"), pd.read_excel(tmp_path / "a.xlsx")
    assert list(table.columns) == list(expected)
    for name in ("Unnamed: 0", "size", "age"):
        np.testing.assert_array_equal(table.numbers(name), expected[name])


def test_sheets(put):
    path = put(book(ROWS, ["Notes", "3"]))
    with pytest.warns(DataWarning, match="a.xlsx: sheet 'Data'; --sheet NAME reads another one, 'Notes', '3'"):
        read(path)
    assert read(path, sheet="Data").n_rows == read(path, sheet="1").n_rows == 3
    for sheet, message in {
        "Nope": "no sheet 'Nope'; there are 'Data', 'Notes', '3'",
        "4": "no sheet '4'",
        "0": "no sheet '0'",
        "3": "sheet '3': a header and no rows; --sheet NAME reads another one, 'Data', 'Notes'",
    }.items():
        with pytest.raises(InputError, match=message):
            read(path, sheet=sheet)


def test_a_hidden_sheet_is_not_the_first(put):
    made = openpyxl.load_workbook(io.BytesIO(book([["secret"]], ["Shown"])))
    made["Data"].sheet_state = "hidden"
    for row in ROWS:
        made["Shown"].append(row)
    made["Shown"].delete_rows(1)
    file = io.BytesIO()
    made.save(file)
    with pytest.warns(DataWarning, match="sheet 'Shown'; --sheet NAME reads another one, 'Data'"):
        assert read(put(file.getvalue())).n_rows == 3


def test_only_excel_has_sheets(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="only Excel files have sheets"):
        read(tmp_path / "a.csv", sheet="1")


def test_a_title_above(put):
    with pytest.warns(DataWarning, match="rows above the names of the columns are left out, 'Patients 2023'"):
        table = read(put(book([["Patients 2023"], [], ["a", "b"], [1, "x"], [None, "y"]], merged=["A1:B1"])))
    np.testing.assert_array_equal(table.numbers("a"), [1, np.nan])
    assert list(table.lines) == [4, 5]


def test_names_in_two_rows(put):
    rows = [
        ["id", "Blood", None, None, "class"],
        [None, "red", "white", "iron", None],
        [7, 1, 2, 3, "x"],
        [8, 4, 5, 6, "y"],
    ]
    with pytest.warns(DataWarning, match="two rows of names are joined, as in 'Blood "):
        table = read(put(book(rows, merged=["A1:A2", "B1:D1", "E1:E2"])))
    assert list(table.columns) == ["id", "Blood red", "Blood white", "Blood iron", "class"]
    assert table.numbers("Blood white").tolist() == [2, 5]


def test_a_column_without_a_name_is_no_second_row_of_names(put):
    with pytest.raises(InputError, match="sheet 'Data', row 1: column 2 has no name"):
        read(put([["a", None, "class"], ["x", "red", "yes"], ["y", "blue", "no"]]))
    table = read(put([[None, "colour", "class"], ["p1", "red", "yes"], ["p2", "blue", "no"]]))
    assert list(table.columns) == ["Unnamed: 0", "colour", "class"]


def test_empty_columns_and_rows_around(put):
    with pytest.warns(DataWarning, match="1 column without name and cells is left out"):
        table = read(put([["a", None, "b", "c"], [1, None, "x", None], [None], [2, " ", "y", 5]]))
    assert list(table.columns) == ["a", "b", "c"]
    assert table.n_rows == 2


def test_formulas_that_were_never_calculated(put):
    with pytest.warns(
        DataWarning, match="2 formulas have no stored value and are gaps; open and save the file in Excel"
    ):
        table = read(put([["a", "b", "c"], [1, "=A2*2", "x"], [2, "=A3*2", "y"]]))
    assert table.texts("b").tolist() == [None, None]


def test_columns_of_one_name_and_sheets_without_names(put):
    with pytest.warns(DataWarning, match=r"row 1: columns of the same name are renamed: 'a_2' \(was 'a'\)$"):
        table = read(put([["a", "a"], [1, 2]]))
    assert {name: table.cells(name).tolist() for name in table.columns} == {"a": [1], "a_2": [2]}
    bare = read(put([["x", 1.5], ["y", 2.5]]), header=False)
    assert bare.cells("column_1").tolist() == ["x", "y"]
    assert bare.cells("column_2").tolist() == [1.5, 2.5]
    assert bare.lines == [1, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (book([]), "sheet 'Data': the sheet is empty"),
        (book([["a", "b"]]), "sheet 'Data': a header and no rows"),
        (book(ROWS)[:-50], "not an Excel workbook, or a truncated one"),
        (b"a,b\n1,2\n", "not an Excel workbook, or a truncated one"),
        (zipped({"a.csv": "a,b\n1,2\n"}), "not an Excel workbook, or a damaged one"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500),
            r"a file of Excel 97-2003 \(.xls\); save it as .xlsx or .csv",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "is protected by a password; save it without one",
        ),
    ],
)
def test_what_is_no_table(put, content, message):
    with pytest.raises(InputError, match=message) as caught:
        read(put(content))
    assert "\n" not in str(caught.value)


def entities(n):
    """Each ten times the one before."""
    names = "abcdefghij"[:n]
    rest = "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in itertools.pairwise(names))
    return f'<!DOCTYPE l [<!ENTITY a "{"x" * 1000}">{rest}]>'.encode()


FAR = b"".join(b'<row r="%d"><c r="XFD%d"><v>1</v></c></row>' % (i, i) for i in range(9, 20_000))
HARMFUL = {
    "a row beyond all": (SHEET, lambda xml: xml.replace(b'r="4"', b'r="99999999999"')),
    "columns beyond all": (SHEET, lambda xml: xml.replace(b'r="D3"', b'r="ZZZZZZZ3"')),
    "cells far to the right": (SHEET, lambda xml: xml.replace(b"</sheetData>", FAR + b"</sheetData>")),
    "entities": (SHEET, lambda xml: entities(9) + xml.replace(b"<v>1.5</v>", b"<v>&i;</v>")),
    "many bytes": (SHEET, lambda xml: xml + b" " * (40 << 20)),
    "many styles": ("xl/styles.xml", lambda xml: xml.replace(b"</cellXfs>", b"<xf/>" * (1 << 21) + b"</cellXfs>")),
    "another place": (
        "xl/_rels/workbook.xml.rels",
        lambda xml: re.sub(rb"worksheets/\w+", b"../../../etc/passwd", xml),
    ),
}


MESSAGES = {
    "columns beyond all": "not an Excel workbook, or a damaged one .*ZZZZZZZ",
    "entities": "not an Excel workbook, or a damaged one .*amplification",
    "another place": "a workbook without sheets of cells",
}


@pytest.mark.parametrize("harm", HARMFUL)
def test_harm(put, harm):
    path, start = put(edited(zipped(BY_HAND), *HARMFUL[harm])), time.perf_counter()
    with pytest.raises(InputError, match=MESSAGES.get(harm, "too many")) as caught:
        read(path)
    assert time.perf_counter() - start < 20  # some seconds for a million rows
    assert "\n" not in str(caught.value)


def test_a_cell_far_below(put):
    """The empty rows between are left out."""
    content = edited(book(ROWS), SHEET, lambda xml: xml.replace(b'<row r="4"', b'<row r="104857"'))
    assert list(read(put(content)).lines) == [2, 3, 104857]
