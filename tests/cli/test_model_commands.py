"""Columns are matched by name, and whatever is wrong is one line with an exit code."""

import numpy as np
import pandas as pd
import pytest
from typer.main import get_command

from freemetric.cli import app
from freemetric.cli.console import exit_code
from freemetric.exceptions import ModelFileError
from freemetric.files.model import refused_access
from freemetric.tabular import InputError


def predict(freemetric, home, frame, tmp_path, *words):
    """Predictions for a frame, and what was said."""
    frame.to_csv(tmp_path / "new.csv", index=False)
    answer = freemetric("predict", home / "people.fm", tmp_path / "new.csv", "-o", tmp_path / "out.csv", *words)
    if answer.code:
        assert not (tmp_path / "out.csv").exists()
        assert answer.out == ""
        assert len(answer.lines) == 1
        return None, answer
    return pd.read_csv(tmp_path / "out.csv"), answer


@pytest.fixture
def plain(freemetric, home, people, tmp_path):
    return predict(freemetric, home, people, tmp_path)[0]


def test_columns_in_any_order_and_more_of_them(freemetric, home, people, plain, tmp_path):
    shuffled = people[["town", "class", "age", "colour", "size"]].assign(id=range(60), **{"[bold]more": 1})
    found, answer = predict(freemetric, home, shuffled, tmp_path, "--keep", "id")
    assert found["id"].tolist() == list(range(60))
    assert found["prediction"].tolist() == plain["prediction"].tolist()
    assert answer.lines[0] == f"note: {tmp_path / 'new.csv'}: columns ignored: 'id', '[bold]more'"
    right = np.mean(found["prediction"] == people["class"])
    assert "the model has learned from most of these rows" in answer.lines[1]
    assert answer.lines[2] == f"accuracy {100 * right:.2f} % of the rows that have a class"
    _, answer = predict(freemetric, home, people.drop(columns="class"), tmp_path)
    assert answer.lines == []


def test_a_missing_column_is_named(freemetric, home, people, tmp_path):
    _, answer = predict(freemetric, home, people.drop(columns=["age", "town"]), tmp_path)
    assert answer.code == 2
    assert answer.lines[0].endswith("new.csv: no column 'age', 'town', which the model needs")


def test_a_wrongly_typed_value_is_named(freemetric, home, people, tmp_path):
    frame = people.astype({"age": object})
    frame.loc[6, "age"] = "abc"
    _, answer = predict(freemetric, home, frame, tmp_path)
    assert answer.code == 2
    assert answer.lines[0].endswith("new.csv: row 7 (line 8), column 'age': 'abc' is not a finite number")


def test_unseen_categories_are_named_and_counted(freemetric, home, people, tmp_path):
    frame = people.copy()
    frame.loc[:1, "colour"], frame.loc[3, "colour"], frame.loc[5, "town"] = "mauve", "beige", "Oslo"
    found, answer = predict(freemetric, home, frame, tmp_path)
    assert len(found) == 60
    said = "column 'colour': 'mauve' in 2 rows, 'beige' in 1 row; column 'town': 'Oslo' in 1 row"
    assert answer.lines[0].endswith(f"new.csv: categories that the model has never seen: {said}")
    assert len([line for line in answer.lines if "never seen" in line]) == 1


def test_columns_that_are_left_out_have_no_unseen_categories(freemetric, people, tmp_path):
    people.assign(one="same").to_csv(tmp_path / "a.csv", index=False)
    words = ["--target", "class", "--method", "euclidean", "--set", "n_neighbors=3", "-o"]
    assert freemetric("fit", tmp_path / "a.csv", *words, tmp_path / "a.fm").code == 0
    people.assign(one="other").to_csv(tmp_path / "b.csv", index=False)
    answer = freemetric("predict", tmp_path / "a.fm", tmp_path / "b.csv", "-o", tmp_path / "o.csv")
    assert not [line for line in answer.lines if "never seen" in line]


def test_output_to_stdout_and_probabilities(freemetric, home, plain, tmp_path):
    answer = freemetric("predict", home / "people.fm", home / "people.csv", "--proba")
    rows = answer.out.splitlines()
    assert rows[0] == "prediction,probability of no,probability of yes"
    assert [row.split(",")[0] for row in rows[1:]] == plain["prediction"].tolist()
    said = freemetric("predict", home / "people.fm", home / "people.csv", "--json").json
    assert said["columns"]["prediction"] == plain["prediction"].tolist()
    assert said["rows"] == 60
    freemetric("transform", home / "people.fm", home / "people.csv", "-o", tmp_path / "z.tsv")
    assert pd.read_csv(tmp_path / "z.tsv", sep="\t").shape[0] == 60


def test_inspect_says_what_there_is(freemetric, home):
    said = freemetric("inspect", home / "people.fm", "--json").json
    assert said["method"] == "euclidean"
    assert said["n_neighbors"] == 3
    assert said["classes"] == ["no", "yes"]
    assert [column["treatment"] for column in said["columns"]] == ["numbers", "numbers", "names", "names with gaps"]
    text = freemetric("inspect", home / "people.fm", "--top", 2).out
    for word in ("people.csv", "town = missing", "one-hot, gap", "seed 0", "scikit-learn"):
        assert word in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "which column is to be predicted?"),
        (["--target", "klass"], "no column 'klass'; there are 'size', 'age', 'colour', 'town', 'class'"),
        (["--target", "class", "--method", "magic"], "unknown method 'magic'; known: free-energy, euclidean"),
        (["--target", "class", "--set", "n_replicas"], "--set wants name=value, not 'n_replicas'"),
        (["--target", "class", "--set", "n_replicas=-1"], "The 'n_replicas' parameter"),
        (["--target", "class", "--set", "colour=3"], "Invalid parameter 'colour'"),
        (["--target", "class", "--format", "xls"], "unknown format 'xls'"),
        (["--target", "class", "--numeric", "town"], "column 'town'"),
    ],
)
def test_wrong_options_of_fit(freemetric, home, tmp_path, words, message):
    answer = freemetric("fit", home / "people.csv", "-o", tmp_path / "a.fm", *words)
    assert answer.code == 2
    assert len(answer.lines) == 1
    assert message in answer.lines[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["predict", "transform", "inspect", "report", "export"])
def test_models_that_are_none(freemetric, home, tmp_path, verb):
    files = {
        "damaged, incomplete or altered": (home / "people.fm").read_bytes()[:-100],
        "not a freemetric model": (home / "people.csv").read_bytes(),
        "cannot be read (No such file or directory)": None,
    }
    for message, content in files.items():
        model = tmp_path / "model.fm"
        model.unlink(missing_ok=True) if content is None else model.write_bytes(content)
        answer = freemetric(verb, model, *[home / "people.csv"] * (verb in ("predict", "transform")))
        assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
        assert message in answer.lines[0]


WRONG = {
    "fit": ["DATA", "-o", "a.fm", "--target", "nothing"],
    "predict": ["MODEL", "missing.csv"],
    "transform": ["MODEL", "missing.csv"],
    "inspect": ["."],
    "report": ["MODEL", "missing.csv"],
    "export": ["MODEL", "-o", "nowhere/a.onnx"],
    "evaluate": ["DATA", "--target", "class", "--methods", "magic"],
    "serve": ["--port", "0"],
    "example": ["people.jpg"],
    "bench run": ["records", "--task", "words"],
    "bench status": ["missing"],
    "bench pack": ["missing", "a.jsonl.gz"],
    "bench unpack": ["DATA", "records"],
    "bench table": ["missing"],
    "bench stats": ["missing"],
    "bench figure": ["missing", "ranks", "a.svg"],
    "bench draw": ["race", "nothing", "a.svg"],
    "datasets fetch": ["nothing"],
    "datasets check": ["nothing"],
}
"""Wrong input for every command that takes some."""


@pytest.mark.parametrize("verb", WRONG)
def test_wrong_input_is_exit_code_two(freemetric, home, tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    files = {"DATA": home / "people.csv", "MODEL": home / "people.fm"}
    answer = freemetric(*verb.split(), *(files.get(word, word) for word in WRONG[verb]))
    assert (answer.code, answer.out) == (2, "")
    assert answer.lines
    assert list(tmp_path.iterdir()) == []


def test_every_command_that_takes_input_is_asked():
    commands = get_command(app).commands
    groups = {name: command.commands for name, command in commands.items() if hasattr(command, "commands")}
    within = {f"{name} {verb}" for name, verbs in groups.items() for verb in verbs}
    assert commands.keys() - groups.keys() | within == {*WRONG, "datasets list", "demo"}


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        (InputError("a column"), 2),
        (ValueError("an option"), 2),
        (ModelFileError("no model"), 2),
        (PermissionError(13, "Permission denied", "a.fm"), 2),
        (OSError(28, "No space left on device"), 1),
        (refused_access(OSError(28, "No space left on device"), "a.fm", "written"), 1),
        (np.linalg.LinAlgError("Singular matrix"), 1),
        (ImportError("an extra"), 1),
        (RuntimeError("a defect"), 1),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_exit_codes_tell_wrong_input_from_other_failures(problem, code):
    assert exit_code(problem) == code


def test_one_of_a_thing_is_said_as_one(freemetric, people, tmp_path):
    people[["size", "class"]].to_csv(tmp_path / "a.csv", index=False)
    people[["size"]].head(1).to_csv(tmp_path / "one.csv", index=False)
    model = tmp_path / "a.fm"
    answer = freemetric("fit", tmp_path / "a.csv", "--target", "class", "--method", "euclidean", "-o", model)
    assert answer.out == f"{model}: euclidean on 60 rows, 1 column\n"
    answer = freemetric("predict", model, tmp_path / "one.csv", "-o", tmp_path / "out.csv")
    assert answer.out == f"{tmp_path / 'out.csv'}: 1 row\n"


def test_places_that_cannot_be_written(freemetric, home, tmp_path):
    for place, message in [(tmp_path / "no" / "a.csv", "there is no folder"), (tmp_path, "is a folder")]:
        answer = freemetric("predict", home / "people.fm", home / "people.csv", "-o", place)
        assert (answer.code, len(answer.lines)) == (2, 1)
        assert message in answer.lines[0]


def test_an_interrupted_write_leaves_the_old_file(freemetric, home, tmp_path, monkeypatch):
    def break_off(*_):
        raise OSError(28, "No space left on device")

    (tmp_path / "out.csv").write_text("old")
    monkeypatch.setattr("os.replace", break_off)
    answer = freemetric("predict", home / "people.fm", home / "people.csv", "-o", tmp_path / "out.csv")
    assert (answer.code, answer.out) == (1, "")
    assert "No space left on device" in answer.lines[-1]
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out.csv", "old")]


def test_debug_shows_the_traceback(home):
    from typer.testing import CliRunner

    from freemetric.cli import app
    from freemetric.tabular import InputError

    result = CliRunner().invoke(app, ["--debug", "fit", str(home / "people.csv"), "-o", str(home / "a.fm")])
    assert isinstance(result.exception, InputError)


def test_help_version_and_completion(freemetric):
    said = freemetric("--help").out
    for command in ("fit", "predict", "transform", "inspect", "evaluate", "bench", "datasets", "demo", "completion"):
        assert command in said
    assert "--debug" not in said
    assert freemetric("--version").out.strip()


def test_inspect_says_what_matters_and_what_distances_weigh(freemetric, home, rng):
    """A coin is no column to rest on, whatever the distances make of it; the columns are those of the file."""
    sizes = [f"{x:.3f}" for x in rng.random(80)]
    rows = [f"{s},{'red' if float(s) > 0.5 else 'green'},{rng.choice(['head', 'tail'])},{s > '0.5'}" for s in sizes]
    (home / "coin.csv").write_text("size,colour,coin,large\n" + "\n".join(rows) + "\n")
    quick = ("--set", "n_replicas=6")
    freemetric("fit", home / "coin.csv", "--target", "large", "-o", home / "coin.fm", *quick)
    columns = {c["name"]: c for c in freemetric("inspect", home / "coin.fm", "--json").json["columns"]}
    assert set(columns) == {"size", "colour", "coin"}
    assert abs(columns["coin"]["importance"]) <= 3 * columns["coin"]["importance_error"]
    assert columns["colour"]["importance"] + columns["size"]["importance"] > 0.1
    text = freemetric("inspect", home / "coin.fm").out
    assert "what matters, and what distances weigh" in text
    assert f"{columns['colour']['importance']:.3f} ± {columns['colour']['importance_error']:.3f}" in text
    assert "out-of-bag accuracy loses" in " ".join(text.split())


def test_all_columns_are_kept_beside_predictions(freemetric, home, people, plain, tmp_path):
    frame = people.drop(columns="class").assign(prediction="mine", note="n")
    found, answer = predict(freemetric, home, frame, tmp_path, "--keep", "all")
    assert list(found.columns) == [*frame.columns, "prediction_2"]
    assert found["prediction_2"].tolist() == plain["prediction"].tolist()
    pd.testing.assert_frame_equal(found[["size", "age"]], frame[["size", "age"]])
    assert "has columns of the same names, so the output has 'prediction_2'" in answer.lines[-1]


def test_columns_of_one_name_are_kept_apart(freemetric, tmp_path):
    rows = "".join(f"{i % 5}.5,{i}.25,{'yn'[i % 5 > 2]}\n" for i in range(40))
    (tmp_path / "a.csv").write_text(f"x,x,class\n{rows}")
    fitted = freemetric(
        "fit", tmp_path / "a.csv", "--target", "class", "--method", "euclidean", "-o", tmp_path / "a.fm"
    )
    assert fitted.lines == [
        f"note: {tmp_path / 'a.csv'}, line 1: columns of the same name are renamed: 'x_2' (was 'x')"
    ]
    answer = freemetric("predict", tmp_path / "a.fm", tmp_path / "a.csv", "--keep", "all", "-o", tmp_path / "o.csv")
    assert answer.code == 0
    found = pd.read_csv(tmp_path / "o.csv")
    assert list(found.columns) == ["x", "x_2", "class", "prediction"]
    assert (found["prediction"] == found["class"]).mean() > 0.9


@pytest.mark.parametrize("target", ["1", "column_1", "3"])
def test_files_without_names(freemetric, target, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(["y", "n"], 60), "b": rng.normal(size=60).round(3)})
    frame["b"] += 5 * (frame["a"] == "y")
    frame["c"] = np.where(frame["b"] > 2, "h", "l")
    frame.to_csv(tmp_path / "a.csv", index=False, header=False)
    words = ["--target", target, "--method", "euclidean", "--set", "n_neighbors=3", "-o", tmp_path / "a.fm"]
    fitted = freemetric("fit", tmp_path / "a.csv", "--no-header", *words)
    assert (fitted.code, fitted.lines) == (0, [])
    answer = freemetric("predict", tmp_path / "a.fm", tmp_path / "a.csv", "-o", tmp_path / "o.csv")  # by itself
    assert answer.lines[-1].startswith("accuracy ")
    expected = pd.read_csv(tmp_path / "o.csv")["prediction"].tolist()
    place = int(target[-1]) - 1
    frame.drop(columns=frame.columns[place]).to_csv(tmp_path / "b.csv", index=False, header=False)
    answer = freemetric("predict", tmp_path / "a.fm", tmp_path / "b.csv", "-o", tmp_path / "o.csv")
    assert pd.read_csv(tmp_path / "o.csv")["prediction"].tolist() == expected
    said = f"note: {tmp_path / 'b.csv'}: one column fewer than the training table: taken for one without 'column_1'"
    assert answer.lines == ([] if target == "3" else [said])
    assert freemetric("predict", tmp_path / "a.fm", tmp_path / "a.csv", "--header").code == 2
