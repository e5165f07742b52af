"""Text as people have it: encodings, delimiters, columns set apart by blanks, an index, lines that are no data."""

import io

import numpy as np
import pandas as pd
import pytest

from freemetric.exceptions import DataWarning
from freemetric.tabular import InputError, Schema, TableModel, read
from freemetric.tabular.preprocessing import usable

GERMAN = "Größe;Straße;Klasse\n1,5;Öl;ja\n2,5;Käse;nein\n"


def put(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / name


def texts(table):
    return {name: table.texts(name).tolist() for name in table.columns}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_what_is_marked_or_valid_is_no_guess(tmp_path, encoding):
    table = read(put(tmp_path, "a.csv", GERMAN.encode(encoding)), delimiter=";")
    assert texts(table) == {"Größe": ["1,5", "2,5"], "Straße": ["Öl", "Käse"], "Klasse": ["ja", "nein"]}


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16-le", "utf-16-be"])
def test_a_guess_is_said_with_an_example(tmp_path, encoding):
    path = put(tmp_path, "a.csv", GERMAN.encode(encoding))
    name = encoding if "utf" in encoding else "cp1252"
    with pytest.warns(DataWarning, match=rf"a.csv: .*read as {name} \('Größe'\); --encoding NAME says otherwise"):
        table = read(path, delimiter=";")
    assert list(table.columns) == ["Größe", "Straße", "Klasse"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("имя,класс\nпривет,да\n", "cp1251"),  # noqa: RUF001
        ("名前,クラス\nテスト,はい\n", "shift-jis"),
        ("姓名,类\n测试,是\n", "gb18030"),
        ("Größe,Klasse\n1,für\n", "cp850"),
    ],
)
def test_other_encodings_have_to_be_named(tmp_path, text, encoding):
    path = put(tmp_path, "a.csv", text.encode(encoding))
    with pytest.raises(InputError, match=r"a.csv, line \d: byte 0x.. is not UTF-8; --encoding NAME says what it is"):
        read(path)
    assert list(read(path, encoding=encoding).columns) == text.split("\n")[0].split(",")


def test_a_spoiled_file_of_utf_8_is_not_taken_for_another(tmp_path):
    path = put(tmp_path, "a.csv", "a,b\nfür,ölig\nschön,\n".encode() + b"\xe4,1\n")
    with pytest.raises(InputError, match="line 4: byte 0xe4 is not UTF-8"):
        read(path)


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("klingon", "unknown encoding 'klingon'; usual ones are utf-8, cp1252"),
        ("a\0b", "unknown encoding"),
        ("hex", "cannot be read as hex"),
        ("ascii", "line 1: byte 0xc3 is not ascii"),
    ],
)
def test_encodings_that_are_none_or_wrong(tmp_path, encoding, message):
    with pytest.raises(InputError, match=message) as caught:
        read(put(tmp_path, "a.csv", "für,b\n1,22\n"), encoding=encoding)
    assert "\n" not in str(caught.value)


def test_marks_inside_a_file(tmp_path):
    with pytest.raises(InputError, match=r"line 3: a second file begins here \(a byte-order mark\)"):
        read(put(tmp_path, "a.csv", "\ufeffa,b\n1,2\n\ufeffa,b\n3,4\n"))
    with pytest.warns(DataWarning, match="byte-order marks inside the text are left out, 1 of them"):
        assert texts(read(put(tmp_path, "a.csv", "a,b\n1,x\ufeffy\n")))["b"] == ["xy"]
    assert texts(read(put(tmp_path, "a.csv", "a,b\n1,x\n\x1a")))["b"] == ["x"]  # DOS ended files so


@pytest.mark.parametrize(
    ("content", "how"),
    [
        ("a\tb\n1\tx y\n2\tz\n", r"the delimiter '\\t'"),
        ("a;b\n1;x y\n2;z\n", "the delimiter ';'"),
        ("a,b\n1,x y\n2,z\n", "the delimiter ','"),
        ("  a     b\n  1  'x\n 22    z\n", "blanks between the columns"),
        ('"a" "b"\r\n1   "x y"  \r\n2 z\r\n', "blanks between the columns"),
        ("# made by a program\n#  a b\n1 x\n2 z\n", "blanks between the columns"),
        ("# made by\na b\n1 x\n2 z\n", "blanks between the columns"),
        ("# made by\na\tb\n1\tx\n2\tz\n", r"the delimiter '\\t'"),
    ],
)
@pytest.mark.parametrize("suffix", ["txt", "dat", "data"])
def test_a_delimiter_is_found(tmp_path, suffix, content, how):
    path = put(tmp_path, f"a.{suffix}", content)
    with pytest.warns(DataWarning, match=f"read with {how}"):
        table = read(path)
    assert list(table.columns) == ["a", "b"]
    np.testing.assert_array_equal(table.numbers("a") % 10, [1, 2])


def test_as_pandas_writes_and_reads_it(mixed, tmp_path):
    mixed.to_string(tmp_path / "a.txt", na_rep="NA")
    with pytest.warns(DataWarning, match="blanks"):
        table = read(tmp_path / "a.txt")
    expected = pd.read_csv(tmp_path / "a.txt", sep=r"\s+")
    assert list(table.columns) == ["Unnamed: 0", *expected]
    np.testing.assert_array_equal(table.numbers("age"), expected["age"])


@pytest.mark.parametrize("word", ["tab", "\\t", "\t"])
def test_a_tab_can_be_typed(tmp_path, word):
    assert list(read(put(tmp_path, "a.csv", "a\tb\n1\t2\n"), delimiter=word).columns) == ["a", "b"]


def test_the_first_line_of_excel(tmp_path):
    table = read(put(tmp_path, "a.csv", "sep=;\r\na;b\r\n1,5;2\r\n"))
    assert texts(table) == {"a": ["1,5"], "b": ["2"]}
    assert list(table.lines) == [3]


@pytest.mark.parametrize("content", ["a;b;\n1;2;\n3;4;\n", "a;b\n1;2;\n3;4;\n", "a;b;;\n1;2;;\n3;4;;\n"])
def test_delimiters_at_the_end_of_lines(tmp_path, content):
    with pytest.warns(DataWarning, match="without names? and cells"):
        assert texts(read(put(tmp_path, "a.csv", content), delimiter=";")) == {"a": ["1", "3"], "b": ["2", "4"]}


def test_an_index_without_a_name(mixed, tmp_path):
    shuffled = mixed.sample(frac=0.9, random_state=0)
    for frame in (mixed, shuffled, shuffled.set_index(shuffled.index.map("p{}".format))):
        text = frame.to_csv()
        table = read(put(tmp_path, "a.csv", text))
        assert list(table.columns) == list(pd.read_csv(io.StringIO(text)).columns)
        with pytest.warns(DataWarning, match=r"left out: column 'Unnamed: 0', it is an index without a name; --keep"):
            schema, left_out = usable(table, "class")
        assert list(left_out) == ["Unnamed: 0"]
        assert [column.name for column in schema.columns] == ["size", "age", "colour", "sex", "town"]
        assert usable(table, "class", keep=["Unnamed: 0"])[0].columns[0].name == "Unnamed: 0"


def test_an_index_twice_is_called_as_pandas_calls_it(tmp_path):
    assert list(read(put(tmp_path, "a.csv", ",Unnamed: 0,a\n0,0,5\n1,1,6\n")).columns) == [
        "Unnamed: 0.1",
        "Unnamed: 0",
        "a",
    ]


def test_names_of_rows_as_r_writes_them(tmp_path):
    """write.table(data.frame(a = c(5, 6), b = c("x y", "z"))) gives this."""
    path = put(tmp_path, "a.txt", '"a" "b"\n"1" 5 "x y"\n"2" 6 "z"\n')
    with pytest.warns(DataWarning, match="blanks"):
        assert texts(read(path)) == {"Unnamed: 0": ["1", "2"], "a": ["5", "6"], "b": ["x y", "z"]}


@pytest.mark.parametrize(("name", "start"), [("index", 0), ("id", 1), ("row", 0), ("ID", 1), ("Unnamed: 0", 0)])
def test_a_short_table_that_is_numbered(tmp_path, name, start):
    rows = "".join(f"{start + i},{i % 3},{'yn'[i % 2]}\n" for i in range(6))
    table = read(put(tmp_path, "a.csv", f"{name},a,class\n{rows}"))
    with pytest.warns(DataWarning, match="--keep COLUMN keeps one"):
        assert list(usable(table, "class")[1]) == [name]


def test_whole_numbers_that_only_look_so(tmp_path):
    rows = "".join(f"{i},{(i * 5) % 6},{'yn'[i % 2]}\n" for i in range(6))
    schema, left_out = usable(read(put(tmp_path, "a.csv", f"dose,id,class\n{rows}")), "class")
    assert left_out == {}
    assert len(schema.columns) == 2


def test_names_that_are_numbers(tmp_path):
    with pytest.warns(DataWarning, match=r"line 1: '5.1', '3.5', '0.2' are taken for names of columns; --no-header"):
        read(put(tmp_path, "a.csv", "5.1,3.5,0.2,setosa\n4.9,3.0,0.3,setosa\n"))
    with pytest.warns(DataWarning) as caught:
        read(put(tmp_path, "a.csv", "5.1,0.2,0.2,setosa\n4.9,3.0,0.3,setosa\n"))
    renamed, data = (str(warning.message) for warning in caught)
    assert renamed.endswith("line 1: columns of the same name are renamed: '0.2_2' (was '0.2')")
    assert data.endswith("are taken for names of columns; --no-header reads a file without names")
    assert list(read(put(tmp_path, "a.csv", "0,1,2\n4.9,3.0,0.3\n")).columns) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("header", "names"),
    [("x,x", ["x", "x_2"]), ("x,x,x_2", ["x", "x_3", "x_2"]), ("x_2,x,x,x", ["x_2", "x", "x_3", "x_4"])],
)
def test_columns_of_one_name_are_renamed(header, names, tmp_path):
    cells = ",".join(map(str, range(len(names))))
    with pytest.warns(DataWarning, match="columns of the same name are renamed: 'x_"):
        table = read(put(tmp_path, "a.csv", f"{header}\n{cells}\n"))
    assert {name: table.texts(name).tolist() for name in table.columns} == {n: [str(i)] for i, n in enumerate(names)}


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.csv", "5.1,setosa\n4.9,\n"), ("a.csv", "5.1;setosa\n4.9;\n"), ("a.txt", "# flowers\n5.1\tsetosa\n4.9\t\n")],
)
@pytest.mark.filterwarnings("ignore:.*read with the delimiter")
def test_a_file_without_names(name, text, tmp_path):
    path = put(tmp_path, name, text)
    table = read(path, header=False)
    frame = pd.read_csv(path, header=None, sep=None, engine="python", comment="#")
    assert list(table.columns) == ["column_1", "column_2"]
    assert table.numbers("column_1").tolist() == frame[0].tolist()
    assert table.texts("column_2").tolist() == frame[1].astype(object).where(frame[1].notna(), None).tolist()
    assert read(put(tmp_path, "b.csv", "1,2\n"), header=False).n_rows == 1


def test_only_text_and_sheets_can_lack_names(tmp_path):
    with pytest.raises(InputError, match=r"only text and Excel files can lack a header; this one is read as jsonl$"):
        read(put(tmp_path, "a.jsonl", '{"a": 1}\n'), header=False)


def test_from_a_german_table_to_a_model(mixed, tmp_path):
    german = mixed.rename(columns={"size": "Größe", "colour": "Färbung"}).replace({"red": "röt"})
    german.to_csv(tmp_path / "a.csv", sep=";", decimal=",", encoding="cp1252", index=False)
    with pytest.warns(DataWarning) as caught:
        model = TableModel.fit(read(tmp_path / "a.csv"), "class", "euclidean", parameters={"n_neighbors": 3})
    assert [str(warning.message).partition(": ")[2].partition(" (")[0] for warning in caught] == [
        "not UTF-8; read as cp1252",
        "read with the delimiter ';'",
        "columns 'Größe', 'age' read as numbers with decimal ','",
    ]
    mixed.to_csv(tmp_path / "b.csv", index=False)
    plain = TableModel.fit(read(tmp_path / "b.csv"), "class", "euclidean", parameters={"n_neighbors": 3})
    assert Schema.infer(read(tmp_path / "b.csv"), "class").columns[0].kind == "numeric"
    with pytest.warns(DataWarning):
        found = model.predict(read(tmp_path / "a.csv"))[0]
    np.testing.assert_array_equal(found, plain.predict(read(tmp_path / "b.csv"))[0])
