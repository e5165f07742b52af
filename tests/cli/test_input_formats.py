"""Files as people have them, from the shell's side: every format ends in the same model; what is wrong is one line."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from ..formats import as_bytes

FIT = ["--target", "class", "--method", "euclidean", "--set", "n_neighbors=3", "-o"]
FORMS = ["csv", "tsv", "txt", "xlsx", "jsonl", "json", "feather", "parquet", "arff"]


def zipped(content, name):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


@pytest.fixture(scope="module")
def expected(freemetric, home):
    said = freemetric("predict", home / "people.fm", home / "people.csv", "--proba", "--json").json
    return pd.DataFrame(said["columns"])


@pytest.mark.parametrize("form", FORMS)
def test_fit_and_predict_from_every_format(freemetric, people, expected, form, tmp_path):
    data = tmp_path / f"people.{form}"
    data.write_bytes(as_bytes(people, form))
    answer = freemetric("fit", data, *FIT, tmp_path / "a.fm")
    assert answer.code == 0
    assert answer.lines == [f"note: {data}: read with blanks between the columns"] * (form == "txt")
    answer = freemetric("predict", tmp_path / "a.fm", data, "--proba", "-o", tmp_path / "out.parquet")
    assert answer.code == 0
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "out.parquet"), expected)


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("p.csv.gz", gzip.compress),
        ("p.csv.bz2", bz2.compress),
        ("p.csv.xz", lzma.compress),
        ("p.csv.zip", lambda content: zipped(content, "p.csv")),
        ("p.zip", lambda content: zipped(content, "../../p.csv")),
    ],
)
def test_packed_files(freemetric, home, expected, name, pack, tmp_path):
    (tmp_path / name).write_bytes(pack((home / "people.csv").read_bytes()))
    said = freemetric("predict", home / "people.fm", tmp_path / name, "--proba", "--json")
    pd.testing.assert_frame_equal(pd.DataFrame(said.json["columns"]), expected)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_standard_input(freemetric, people, home, expected, tmp_path):
    for form in ("csv", "jsonl", "xlsx", "parquet"):
        content = as_bytes(people, form)
        assert freemetric("fit", "-", *FIT, tmp_path / "a.fm", stdin=content).code == 0
        said = freemetric("predict", tmp_path / "a.fm", "-", "--proba", "--json", stdin=content)
        pd.testing.assert_frame_equal(pd.DataFrame(said.json["columns"]), expected)
    words = ["--target", "class", "--methods", "euclidean", "--folds", 2, "--repeats", 1]
    assert freemetric("evaluate", "-", *words, stdin=(home / "people.csv").read_bytes()).code == 0
    answer = freemetric("fit", "-", *FIT, tmp_path / "b.fm", stdin=b"")
    assert (answer.code, answer.out, answer.lines) == (2, "", ["standard input: the file is empty"])


@pytest.mark.slow
def test_the_real_command_in_a_pipe(home, expected):
    """From a file of the shell's <(...) to a model and from standard input to standard output."""
    call = f"{sys.executable} -m freemetric"
    fit = f"{call} fit <(cat people.csv) {' '.join(FIT)} piped.fm"
    predict = f"gzip -c people.csv | {call} predict piped.fm - --proba -o - | cat"
    done = subprocess.run(["bash", "-c", f"{fit} && {predict}"], cwd=home, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.partition("\n")[2]  # after the line of the fit
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(printed)), expected)


@pytest.mark.parametrize("language", ["german", pytest.param("french", marks=pytest.mark.slow)])
def test_what_excel_exports_in_europe(freemetric, people, language, tmp_path):
    """Semicolons, decimal commas, cp1252: from the fit to the predictions and the comparison."""
    thousands = {"german": ".", "french": "\u00a0"}[language]
    amounts = [
        f"{1000 * value:,.2f}".replace(",", " ").replace(".", ",").replace(" ", thousands) for value in people["size"]
    ]
    frame = people.assign(size=amounts).rename(columns={"size": "Größe", "colour": "Français"})
    frame["Français"] = frame["Français"].replace({"red": "röt", "blue": "bleuâtre"})
    (tmp_path / "eu.csv").write_bytes(frame.to_csv(sep=";", index=False, lineterminator="\r\n").encode("cp1252"))
    people.assign(size=(1000 * people["size"]).round(2)).to_csv(tmp_path / "plain.csv", index=False)
    for name in ("eu", "plain"):
        assert freemetric("fit", tmp_path / f"{name}.csv", *FIT, tmp_path / f"{name}.fm").code == 0
    answer = freemetric("fit", tmp_path / "eu.csv", *FIT, tmp_path / "eu.fm")
    assert [line.partition("eu.csv: ")[2].partition(" (")[0] for line in answer.lines] == [
        "not UTF-8; read as cp1252",
        "read with the delimiter ';'",
        "column 'Größe' read as numbers with decimal ','",
    ]
    found = [
        freemetric("predict", tmp_path / f"{name}.fm", tmp_path / f"{name}.csv", "--json").json["columns"]["prediction"]
        for name in ("eu", "plain")
    ]
    np.testing.assert_array_equal(*found)
    words = ["--target", "class", "--methods", "euclidean", "--folds", 2, "--repeats", 1, "--json"]
    results = [freemetric("evaluate", tmp_path / f"{name}.csv", *words).json["results"] for name in ("eu", "plain")]
    assert results[0][0]["error"] == results[1][0]["error"]


def test_an_index_is_left_out_and_can_be_kept(freemetric, people, tmp_path):
    people.sample(frac=1, random_state=0).to_csv(tmp_path / "a.csv")
    answer = freemetric("fit", tmp_path / "a.csv", *FIT, tmp_path / "a.fm")
    why = "left out: column 'Unnamed: 0', it is an index without a name; --keep COLUMN keeps one"
    assert (answer.code, answer.lines) == (0, [f"note: {tmp_path / 'a.csv'}: {why}"])
    assert "4 columns" in answer.out
    answer = freemetric("predict", tmp_path / "a.fm", tmp_path / "a.csv", "-o", tmp_path / "o.csv")
    assert not [line for line in answer.lines if "ignored" in line]
    answer = freemetric("fit", tmp_path / "a.csv", "--keep", "Unnamed: 0", *FIT, tmp_path / "a.fm")
    assert (answer.code, answer.lines) == (0, [])
    assert "5 columns" in answer.out


def test_sheets_and_encodings_are_options(freemetric, people, tmp_path):
    with pd.ExcelWriter(tmp_path / "a.xlsx") as writer:
        pd.DataFrame({"note": ["x"]}).to_excel(writer, sheet_name="Notes", index=False)
        people.to_excel(writer, sheet_name="People", index=False)
    answer = freemetric("fit", tmp_path / "a.xlsx", *FIT, tmp_path / "a.fm")
    assert (answer.code, answer.out) == (2, "")
    assert answer.lines[0].endswith("a.xlsx: sheet 'Notes'; --sheet NAME reads another one, 'People'")
    assert freemetric("fit", tmp_path / "a.xlsx", "--sheet", "People", *FIT, tmp_path / "a.fm").lines == []
    words = ["--target", "class", "--methods", "euclidean", "--folds", 2, "--repeats", 1]
    assert freemetric("evaluate", tmp_path / "a.xlsx", "--sheet", 2, *words).code == 0
    (tmp_path / "ru.csv").write_bytes(people.replace({"red": "красный"}).to_csv(index=False).encode("cp1251"))
    assert freemetric("fit", tmp_path / "ru.csv", *FIT, tmp_path / "a.fm").code == 2
    assert freemetric("fit", tmp_path / "ru.csv", "--encoding", "cp1251", *FIT, tmp_path / "a.fm").lines == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"size,age,colour,town,class\n", "a header and no rows"),
        ("a.csv", b"size,class\n1,yes\n2\n", "line 3: 1 field in a table of 2 columns"),
        ("a.csv", b"size,class\n1,\0\n", "line 2: a NUL byte, not text"),
        ("a.csv", b"\x89PNG\r\n\x1a\n" + bytes(99), "a PNG picture"),
        ("a.csv.gz", gzip.compress(b"size,class\n1,yes\n")[:-5], "damaged or truncated gzip file"),
        ("a.zip", zipped(b"size,class\n1,yes\n", "a.csv")[:-9], "damaged or truncated zip file"),
        ("a.xlsx", zipped(b"", "[Content_Types].xml")[:-9], "not an Excel workbook, or a truncated one"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "by a password"),
        ("a.feather", b"ARROW1\0\0" + bytes(99), "a damaged or truncated Feather file"),
        ("a.xls", b"", "a file of Excel 97-2003; save it as .xlsx or .csv"),
        ("a.jsonl", b'{"size": [1]}\n', "line 1: 'size' holds several values"),
        ("a.csv", b"size,class\n1,yes\n\xef\xbb\xbfsize,class\n2,no\n", "line 3: a second file begins here"),
        ("a.what", b"size,class\n1,yes\n", "its suffix is none of"),
    ],
)
def test_odd_files(freemetric, home, name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    for words in (["fit", tmp_path / name, *FIT], ["predict", home / "people.fm", tmp_path / name, "-o"]):
        answer = freemetric(*words, tmp_path / "output")
        assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
        assert message in answer.lines[0]
        assert [path.name for path in tmp_path.iterdir()] == [name]


def test_devices_and_pipes_stay_what_they_are(freemetric, home, tmp_path):
    """The file that takes the place of another must not take that of /dev/null."""
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", "-"):
        answer = freemetric("fit", home / "people.csv", *FIT, place)
        assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
    (tmp_path / "null").symlink_to(os.devnull)
    assert freemetric("predict", home / "people.fm", home / "people.csv", "-o", tmp_path / "null").code == 0
    assert (tmp_path / "null").is_char_device()
    assert (tmp_path / "pipe").is_fifo()
