"""Numbers that would mislead come with a word."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import freemetric.cli

FIT = ["--target", "class", "--method", "euclidean", "--set", "n_neighbors=3", "-o"]


def test_accuracy_on_the_rows_of_the_training(freemetric, home, people, tmp_path):
    people[20:].to_csv(tmp_path / "some.csv", index=False)
    people.assign(size=people["size"] + 1e-3).to_csv(tmp_path / "new.csv", index=False)
    for data, known in [(home / "people.csv", True), (tmp_path / "some.csv", True), (tmp_path / "new.csv", False)]:
        answer = freemetric("predict", home / "people.fm", data, "-o", tmp_path / "o.csv")
        said = "note: {}: the model has learned from most of these rows, so the accuracy says little about new ones; "
        assert answer.lines[:-1] == [f"{said.format(data)}`freemetric evaluate` estimates that"] * known
        assert answer.lines[-1].startswith("accuracy ")
        answer = freemetric("predict", home / "people.fm", data, "-o", tmp_path / "o.csv", "--json")
        assert (answer.json["learned_from"], answer.lines) == (known, [])


def test_a_class_per_row(freemetric, people, tmp_path):
    people.assign(**{"class": [f"n{i}" for i in range(60)]}).to_csv(tmp_path / "a.csv", index=False)
    for words in (["fit", "-o", tmp_path / "a.fm"], ["fit", "--method", "nca", "-o", tmp_path / "a.fm"], ["evaluate"]):
        answer = freemetric(words[0], tmp_path / "a.csv", "--target", "class", *words[1:])
        assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
        assert answer.lines[0].endswith(
            "column 'class': 60 classes, and every row has a class of its own; is it the right --target?"
        )


def test_a_quantity_that_should_be_classes(freemetric, home, tmp_path):
    words = ["--target", "size", "--task", "classify", "-o", tmp_path / "a.fm"]
    answer = freemetric("fit", home / "people.csv", *words)
    assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
    assert answer.lines[0].endswith("every row has a class of its own; --task regress predicts a quantity")


def test_rows_three_times(freemetric, people, tmp_path):
    pd.concat([people] * 3).to_csv(tmp_path / "a.csv", index=False)
    words = ["--target", "class", "--methods", "euclidean", "--folds", 2, "--repeats", 1]
    answer = freemetric("evaluate", tmp_path / "a.csv", *words)
    assert (answer.code, len(answer.lines)) == (0, 1)
    assert "120 of 180 rows are copies of others" in answer.lines[0]


@pytest.fixture
def packed(tmp_path):
    pytest.importorskip("scipy")
    from freemetric.bench.records import BenchJob, Record
    from freemetric.bench.results import save_compact

    def record(method, fold, error):
        return Record(BenchJob("iris", method, 0, fold), [error, error], 1, error, seconds=1.0, shape=(75, 4, 3))

    save_compact([record(m, f, 10.0) for m in ("nca", "euclidean") for f in (0, 1)], tmp_path / "records.jsonl.gz")
    return tmp_path, record


def test_a_folder_with_packed_records(freemetric, packed):
    folder, record = packed
    said = freemetric("bench", "status", folder, "--json")
    assert said.code == 0
    assert {name: row["fits"] for name, row in said.json.items()} == {"euclidean": 2, "nca": 2}
    for fold in (0, 1):
        record("nca", fold, 4.0).write(folder)
    rows = freemetric("bench", "table", folder, "--json").json
    assert dict(zip(rows["columns"], rows["rows"][0], strict=True)) == {
        "Data set": "iris",
        "euclidean": "10.00",
        "nca": "4.00",
    }


def test_the_real_command(people, tmp_path):
    """Exit codes and single lines reach the shell."""
    people.assign(**{"class": np.arange(60) / 7}).to_csv(tmp_path / "a.csv", index=False)
    words = [sys.executable, "-m", "freemetric", "fit", "a.csv", "--target", "class"]
    words += ["--task", "classify", "-o", "a.fm"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "60 classes, and every row has a class of its own; --task regress predicts a quantity" in done.stderr


def undeclared(path):
    """Options of a file of commands whose word for the value is their own name, but which do not declare that name."""
    tree = ast.parse(path.read_text())
    named = [(node.arg, node.annotation) for node in ast.walk(tree) if isinstance(node, ast.arg)]
    named += [(ast.unparse(node.targets[0]).lower(), node.value) for node in tree.body if isinstance(node, ast.Assign)]
    for name, said in named:
        for call in ast.walk(said) if said is not None else ():
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "Option" and not call.args:
                words = {keyword.arg: getattr(keyword.value, "value", None) for keyword in call.keywords}
                if str(words.get("metavar")).lower() == name:
                    yield f"{path.name}: {name}"


def test_options_have_names_in_lower_case_with_every_release_of_typer():
    """Typer 0.27 takes the metavar for the name of an option where they differ by case alone."""
    files = Path(freemetric.cli.__file__).parent.glob("*.py")
    assert not [found for path in files for found in undeclared(path)]
