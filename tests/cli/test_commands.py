import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import freemetric
from freemetric.cli.commands import group, with_target
from freemetric.cli.files import read_table

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"


def test_fit_and_predict_as_in_python(run, home, people):
    code, output, errors = run(
        "predict", home / "class.fm", home / "people.csv", "--proba"
    )
    assert (code, errors) == (0, "")
    predicted = pd.read_csv(io.StringIO(output))
    inside = freemetric.FreeEnergyClassifier(4, random_state=0)
    model = freemetric.TableClassifier(inside, drop=["income"])
    frame = read_table(home / "people.csv")
    model.fit(frame.drop(columns="class"), frame["class"])
    assert predicted["prediction"].tolist() == model.predict(people).tolist()
    columns = ["probability of no", "probability of yes"]
    np.testing.assert_allclose(
        predicted[columns], model.predict_proba(people), rtol=1e-5
    )


def test_intervals(run, home):
    words = ["predict", home / "income.fm", home / "people.csv", "--interval", "0.2"]
    table = pd.read_csv(io.StringIO(run(*words)[1]))
    assert (table["lower"] <= table["prediction"]).all()
    assert (table["prediction"] <= table["upper"]).all()


@pytest.mark.parametrize("name", ["in.xlsx", "in.tsv", "in.jsonl", "in.parquet"])
def test_every_file_has_the_same_predictions(run, home, people, name, tmp_path):
    from freemetric.cli.files import write_table

    if name.endswith("parquet"):
        pytest.importorskip("pyarrow", reason="needs the extra parquet")
    write_table(people.drop(columns=["class", "income"]), tmp_path / name)
    expected = run("predict", home / "class.fm", home / "people.csv")[1]
    assert run("predict", home / "class.fm", tmp_path / name)[1] == expected
    output = tmp_path / f"out{Path(name).suffix}"
    code, printed, errors = run(
        "predict", home / "class.fm", tmp_path / name, "-o", output
    )
    assert (code, printed, errors) == (0, "", "")
    assert read_table(output)["prediction"].tolist() == expected.split()[1:]


def test_a_german_file_has_the_same_predictions(run, home, people, tmp_path):
    german = people.assign(price=people["price"].str.replace(",", ".").str[1:])
    german.to_csv(tmp_path / "g.csv", sep=";", decimal=",", index=False)
    expected = run("predict", home / "class.fm", home / "people.csv")[1]
    found = run("predict", home / "class.fm", tmp_path / "g.csv")[1].split()
    assert np.mean([a == b for a, b in zip(found, expected.split(), strict=True)]) > 0.9


def test_weights_and_keys(run, home, people, tmp_path):
    table = people.assign(key=range(len(people)), weight=1.0)
    table.loc[0, "weight"] = 2
    table.to_csv(tmp_path / "t.csv", index=False)
    words = ["fit", tmp_path / "t.csv", "--target", "class", "--weight", "weight"]
    words += ["--replicas", 2, "--drop", "income", "-o", tmp_path / "m.fm"]
    code, output, errors = run(*words)
    assert (code, "4 columns" in output) == (0, True)
    assert errors.startswith("note: Columns left out: 'key' (it numbers the rows)")
    assert "; --keep 'key' uses a column, --drop 'key' silences" in errors
    assert "5 columns" in run(*words, "--keep", "key")[1]


@pytest.mark.parametrize(
    ("cells", "task"),
    [
        (["a", "b", "a"], "classify"),
        ([0, 1, 1], "classify"),
        ([True, False, True], "classify"),
        (["yes", "no", None], "classify"),
        ([1.5, 2.0, 3.0], "regress"),
        (["1,5", "2", ""], "regress"),
        (["$5.50", "$7", "$8"], "regress"),
        (list(range(21)), "regress"),
        (list(range(20)), "classify"),
    ],
)
def test_the_target_decides_about_the_task(cells, task, capsys):
    frame = pd.DataFrame({"x": range(len(cells)), "y": cells})
    rows, y, found = with_target(frame, "y", None)
    assert (found, y.dtype.kind) == (task, "f" if task == "regress" else "U")
    n_gaps = sum(cell in (None, "") for cell in cells)
    assert len(rows) == len(y) == len(cells) - n_gaps
    assert capsys.readouterr().err.count("without a target") == (n_gaps > 0)


WRONG = {
    "fit {people} -o {tmp}/m.fm": "Missing option '--target'",
    "fit {people} --target class": "Missing option '-o' / '--output'",
    "fit {tmp}/none.csv --target class -o {tmp}/m.fm": "does not exist",
    "fit {people} --target x -o {tmp}/m.fm": "no column 'x'; it has price, colour",
    "fit {people} --target class --drop x -o {tmp}/m.fm": "no column 'x'",
    "fit {people} --target class -o {tmp}/none/m.fm": "there is no folder",
    "fit {people} --target since --task regress -o {tmp}/m.fm": "' is no number",
    "fit {model} --target class -o {tmp}/m.fm": "the suffix must be one of",
    "fit {people} --target class --drop class -o {tmp}/m.fm": "the column 'class'",
    "fit {people} --target class --weight class -o {tmp}/m.fm": "More than one option",
    "fit {people} --target class --keep size --drop size -o {tmp}/m.fm": "'size'",
    "fit {people} --target class --weight colour -o {tmp}/m.fm": "Column 'colour', row",
    "fit {people} --target class --seed -1 -o {tmp}/m.fm": "'--seed'",
    "fit {void} --target class -o {tmp}/m.fm": "void.csv: No columns",
    "evaluate {people} --target class --groups class": "the column 'class'",
    "predict {people} {people}": "people.csv is no freemetric model",
    "report {people} -o {tmp}/page.html": "people.csv is no freemetric model",
    "predict {model} {people} -o {tmp}/out.doc": "the suffix must be one of",
    "predict {model} {people} --interval 0.1": "predicts no intervals",
    "predict {model} {people} --interval 2": "'--interval'",
    "predict {model} {empty}": "the table has no row",
    "predict {model} {other}": "X lacks the columns",
    "report {model} -o {tmp}/none/page.html": "there is no folder",
    "report {model} --target class -o {tmp}/page.html": "--target needs a table",
    "evaluate {people} --target x": "no column 'x'",
    "evaluate {people} --target class --groups x": "no column 'x'",
    "evaluate {people} --target class --methods nnca": "there is no method 'nnca'",
    "fit {people} --target class -o {tmp}/m.fm --replicas 0": "'--replicas'",
    "paper --sets iriss": "there is no data set 'iriss'; known: balance, hepatitis",
    "paper --methods nnca": "there is no method 'nnca'; known: rf, euclidean",
    "paper --repeats 0": "'--repeats'",
    "paper --data {tmp}/none": "does not exist",
    "paper {people}": "is a file",
    "demo --out {people}/x": "Not a directory",
    "brew": "No such command 'brew'",
    "--brew": "No such option",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_words_are_one_line(run, home, words, tmp_path):
    places = {
        "people": home / "people.csv",
        "model": home / "class.fm",
        "tmp": tmp_path,
    }
    places |= {"empty": tmp_path / "empty.csv", "other": tmp_path / "other.csv"}
    places["empty"].write_text("size\n")
    places["void"] = tmp_path / "void.csv"
    places["void"].touch()
    places["other"].write_text("colour\nred\n")
    code, output, errors = run(*words.format(**places).split())
    assert (code, output) == (2, "")
    assert errors.startswith("freemetric: ")
    assert WRONG[words] in errors
    assert errors.count("\n") == 1
    assert not (tmp_path / "m.fm").exists()


NEEDS_THE_LIBRARY = (
    "empty",
    "other",
    "since",
    "void",
    "--weight colour",
    "{model} {people} --interval 0.1",
)


def is_quick(words):
    return not any(part in words for part in NEEDS_THE_LIBRARY)


@pytest.mark.parametrize("words", [*filter(is_quick, WRONG)])
def test_wrong_words_import_nothing_slow(words, tmp_path):
    (tmp_path / "people.csv").write_text("price,colour,class,size\n1,red,yes,20\n")
    (tmp_path / "class.fm").write_text("freemetric model 4\n")
    places = {"people": tmp_path / "people.csv", "model": tmp_path / "class.fm"}
    code = f"""if True:
        import sys
        from freemetric.cli import main
        try:
            main({words.format(**places, tmp=tmp_path).split()!r})
        finally:
            assert not {{"numpy", "pandas", "sklearn", "numba"}} & set(sys.modules)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("freemetric: ")
    assert done.stderr.count("\n") == 1


def test_names_that_are_checked_before_imports():
    from freemetric.cli.names import METHODS, MODEL_LINE, set_names
    from freemetric.experiments import dataset_names, methods
    from freemetric.files.container import FORMAT

    known = {name for task in methods.METHODS.values() for name in task}
    assert set(METHODS) == known
    assert set_names() == dataset_names()
    assert MODEL_LINE == FORMAT


@pytest.mark.slow
def test_the_hint_about_an_extra_installs_it():
    """pip takes the extra of what is installed, and looks for freemetric nowhere."""
    pytest.importorskip("pip")
    words = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-index"]
    subprocess.run([*words, "--quiet", "freemetric[cli]"], check=True, cwd="/")


def test_debug_shows_the_traceback(home):
    from freemetric.cli import main

    with pytest.raises(ValueError, match="no column 'x'"):
        main(["--debug", "evaluate", str(home / "people.csv"), "--target", "x"])


@pytest.mark.parametrize("command", ["fit", "predict", "evaluate", "paper", "demo"])
def test_help_imports_nothing_slow(command):
    code = f"""if True:
        import sys
        from freemetric.cli import main
        main([{command!r}, "--help"])
        assert not {{"numpy", "pandas", "sklearn", "numba"}} & set(sys.modules)"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: freemetric {command}")


def documented_options(command):
    """Yield the options of a command on the page, and what it says about them."""
    section = PAGE.read_text().partition(f"\n## {command}\n")[2].partition("\n## ")[0]
    for names, said in re.findall(r"^\| `(-[^|]*)` \| (.*) \|$", section, re.MULTILINE):
        yield names.split("`, `")[0], said.replace("`", "")


@pytest.mark.parametrize("command", group.commands)
def test_help_says_as_much_as_the_page(command):
    helps = {
        option.opts[0]: option.help
        for option in group.commands[command].params
        if option.opts[0].startswith("-") and "--help" not in option.opts
    }
    documented = dict(documented_options(command))
    assert documented.keys() == helps.keys()
    for name, said in documented.items():
        assert helps[name].lower() == f"{said}.".lower()


def test_click_is_named_where_it_is_missing():
    code = "import sys; sys.modules['click'] = None\n"
    code += "from freemetric.cli import main; main([])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    advice = "pip install click (extra 'cli')"
    needs = f"freemetric: The command line needs click: {advice}.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", needs)


def test_the_command_without_words_shows_its_help(run):
    code, output, errors = run()
    assert (code, errors) == (0, "")
    assert all(name in output for name in group.commands)
    assert run("--version")[1].split()[-1] == freemetric.__version__


def test_an_interrupt_has_its_own_code(run, home, monkeypatch):
    def interrupted(path):
        raise KeyboardInterrupt

    monkeypatch.setattr("freemetric.cli.commands.read_table", interrupted)
    code, _, errors = run("evaluate", home / "people.csv", "--target", "class")
    assert code == 130
    assert errors.splitlines()[-1] == "freemetric: Interrupted."


def test_report(run, home, tmp_path):
    pytest.importorskip("freemetric.plotting")
    page = tmp_path / "page.html"
    words = ["report", home / "class.fm", home / "people.csv", "--target", "class"]
    code, output, _ = run(*words, "-o", page)
    assert (code, output) == (0, f"{page}\n")
    assert "</html>" in page.read_text()


@pytest.mark.slow
def test_evaluate_and_datasets(run, home):
    pytest.importorskip("freemetric.experiments")
    words = ["evaluate", home / "people.csv", "--target", "class", "--drop", "income"]
    code, output, _ = run(*words, "--methods", "euclidean,rf", "--jobs", 1)
    assert code == 0
    assert [line.split()[0] for line in output.splitlines()[1:3]] == ["euclidean", "rf"]
    assert "iris" in run("datasets")[1]


def test_evaluate_has_our_own_method_by_default():
    from freemetric.experiments.evaluate import USUAL

    assert USUAL["classification"][0] == "free-energy"
    assert USUAL["regression"][0] == "free-energy-regressor"


def test_the_paper(run, tmp_path):
    pytest.importorskip("freemetric.experiments")
    words = ["paper", tmp_path, "--sets", "iris", "--methods", "euclidean,rf"]
    words += ["--repeats", 1, "--jobs", 1, "--quick"]
    code, output, errors = run(*words, "--plan")
    assert (code, output, list(tmp_path.iterdir())) == (0, "", [])
    assert "4 fits of 2 methods on 1 data sets" in errors
    assert "missing: heart-y" in errors
    code, _, errors = run(*words, "--no-fits")
    assert (code, list(tmp_path.iterdir())) == (2, [])
    assert "has no records of these fits" in errors


def test_the_page_names_every_command_and_option():
    page = PAGE.read_text()
    for name, command in group.commands.items():
        assert f"## {name}" in page
        section = page.partition(f"## {name}")[2].partition("\n## ")[0]
        for parameter in command.params:
            for word in parameter.opts:
                written = word if word.startswith("-") else word.upper()
                assert f"`{written}" in section
