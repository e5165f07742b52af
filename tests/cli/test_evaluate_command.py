"""``freemetric evaluate`` from the shell's side; tests/tabular has its arithmetic."""

import io
import signal
import subprocess
import sys

import pandas as pd
import pytest

WORDS = ["--target", "class", "--methods", "euclidean,rf", "--folds", "3", "--repeats", "1"]
SMALL = [*WORDS, "--set", "rf.n_estimators=9"]


def test_one_file(freemetric, home):
    answer = freemetric("evaluate", home / "people.csv", *SMALL)
    assert (answer.code, answer.lines) == (0, [])
    assert "Protocol honest: 1 x 3-fold stratified cross-validation, seed 0" in answer.out
    assert "| people.csv | rf |" in answer.out
    assert "Critical differences" not in answer.out
    said = freemetric("evaluate", home / "people.csv", *SMALL, "--json").json
    assert [row["method"] for row in said["results"]] == ["euclidean", "rf", "constant"]
    assert "ranks" not in said


@pytest.mark.slow
def test_several_files_have_ranks(freemetric, home, people, tmp_path):
    people.drop(columns="town").to_csv(tmp_path / "fewer.csv", index=False)
    answer = freemetric("evaluate", home / "people.csv", tmp_path / "fewer.csv", *WORDS)
    assert answer.code == 0
    assert "Critical differences: Nemenyi" in answer.out
    assert "| **Rank** |" in answer.out
    said = freemetric("evaluate", home / "people.csv", tmp_path / "fewer.csv", *WORDS, "--json").json
    assert set(said) == {
        "protocol", "folds", "repeats", "seed", "parameters", "device", "limits", "groups", "scoring", "learning_curve",
        "task", "baseline", "scores", "notes", "how", "results", "ranks", "critical_difference", "friedman_p",
    }  # fmt: skip
    assert said["ranks"].keys() == {"euclidean", "rf"}
    assert said["critical_difference"].keys() == {"nemenyi", "bonferroni-dunn"}
    assert said["friedman_p"] is None  # of two methods


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--methods", "euclidean,magic"], "Unknown method 'magic'"),
        (["--set", "lmnn.x=3"], "--set wants method.name=value"),
        (["--set", "rf.x=3"], "method 'rf': Invalid parameter 'x'"),
        (["--folds", "100"], "no class has the 100 rows"),
        (["--scoring", "magic"], "unknown score 'magic'; known: accuracy,"),
        (["--groups", "class"], "column 'class' is to be predicted and cannot be the groups, too"),
        (
            ["--groups", "colour", "--folds", "4"],
            "column 'colour': 3 groups are fewer than 4 folds; 3 folds are the most",
        ),
        (["--groups", "nobody"], "no column 'nobody'"),
        (["--report", "page.pdf"], "page.pdf: --report writes a page, whose name ends in .html"),
        (["--report", "no/page.html"], "there is no folder no"),
        (["-o", "scores.pdf"], "scores.pdf: tables are written as .csv"),
    ],
)
def test_wrong_options(freemetric, home, words, message):
    answer = freemetric("evaluate", home / "people.csv", *WORDS, *words)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.lines[-1]


def test_a_failing_method_is_reported_and_the_others_shown(freemetric, home):
    words = [*WORDS, "--methods", "euclidean,pca", "--set", "pca.n_components=99"]
    answer = freemetric("evaluate", home / "people.csv", *words)
    assert answer.code == 1
    assert "| people.csv | pca | n/a |" in answer.out
    assert len(answer.lines) == 1
    assert answer.lines[0].startswith("people.csv, pca: ValueError: n_components=99 is larger")


@pytest.mark.slow
def test_a_method_over_the_limit(freemetric, home):
    words = [*WORDS, "--methods", "free-energy,euclidean", "--set", "free-energy.n_replicas=1000000", "--limit", "2"]
    answer = freemetric("evaluate", home / "people.csv", *words)
    assert answer.code == 1
    assert "| people.csv | free-energy | over the limit |" in answer.out
    assert "| people.csv | euclidean | **" in answer.out
    assert answer.lines == ["people.csv, free-energy: stopped after 2 s, the limit of one fit"]


def test_a_file_twice(freemetric, home):
    assert freemetric("evaluate", home / "people.csv", home / "people.csv", *WORDS).lines == ["a file is named twice"]


@pytest.mark.slow
def test_scores_classes_and_a_constant_answer(freemetric, home):
    answer = freemetric("evaluate", home / "people.csv", *SMALL, "--scoring", "average_precision")
    assert (answer.code, answer.lines) == (0, [])
    header = answer.out.splitlines()[2]
    words = ["Error in %", "Balanced accuracy in %", "F1", "AUC", "Log loss", "Brier", "average\\_precision", "Seconds"]
    assert header == f"| File | Method | {' | '.join(words)} |"
    assert "| people.csv | constant | 50.00 ± 0.00 | 50.00 ± 0.00 |" in answer.out
    assert "| Class | Rows | Recall in % | Precision in % | Most often taken for |" in answer.out
    said = freemetric("evaluate", home / "people.csv", *SMALL, "--json").json
    rf = said["results"][1]
    assert rf["scores"]["accuracy"]["mean"] == pytest.approx(1 - rf["error"] / 100)
    assert sum(map(sum, rf["confusion"])) == 60


@pytest.mark.slow
def test_groups(freemetric, home):
    answer = freemetric("evaluate", home / "people.csv", *SMALL, "--groups", "colour")
    assert answer.code == 0
    assert "rows of one 'colour' are never parted" in answer.out
    assert (
        freemetric("evaluate", home / "people.csv", *SMALL, "--groups", "colour", "--json").json["groups"] == "colour"
    )


@pytest.mark.slow
def test_repeats_and_seeds(freemetric, home):
    def errors(*words):
        said = freemetric("evaluate", home / "people.csv", *WORDS, "--methods", "euclidean", "--json", *words)
        return said.json["results"][0]["errors"]

    twice = errors("--repeats", "2")
    assert len(twice) == 6
    assert twice[:3] == errors()
    assert twice != errors("--repeats", "2", "--seed", "1")


@pytest.mark.slow
def test_a_learning_curve_a_page_and_a_file(freemetric, home, tmp_path):
    page, scores = tmp_path / "page.html", tmp_path / "scores.csv"
    words = [*WORDS, "--folds", "4", "--learning-curve", "--report", page, "-o", scores, "--set", "rf.n_estimators=9"]
    answer = freemetric("evaluate", home / "people.csv", *words)
    assert answer.code == 0
    assert "| File | Method | 1/2 | All rows |" in answer.out
    assert "people.csv, rf: from 22 to 45 rows the error" in answer.out
    assert answer.out.endswith(f"{scores}: scores\n{page}: open it in a browser\n")
    found = pd.read_csv(scores)
    assert found["method"].tolist() == ["euclidean", "euclidean", "rf", "rf", "constant"]
    assert found["rows"].tolist() == [22, 45, 22, 45, 45]
    assert found["error"].notna().all()
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    words = [*WORDS, "--methods", "euclidean", "--folds", "4", "--learning-curve", "--json", "-o", tmp_path / "s.jsonl"]
    said = freemetric("evaluate", home / "people.csv", *words)
    assert [point["rows"] for point in said.json["results"][0]["learning_curve"]] == [22, 45]
    assert len((tmp_path / "s.jsonl").read_text().splitlines()) == 3


def test_scores_on_standard_output(freemetric, home):
    answer = freemetric("evaluate", home / "people.csv", *WORDS, "--methods", "euclidean", "-o", "-")
    assert pd.read_csv(io.StringIO(answer.out))["method"].tolist() == ["euclidean", "constant"]


def test_no_gain_is_said(freemetric, people, tmp_path):
    noise = people.assign(**{"class": ["often"] * 54 + ["rarely"] * 6}).sample(frac=1, random_state=0)
    noise.to_csv(tmp_path / "a.csv", index=False)
    answer = freemetric("evaluate", tmp_path / "a.csv", *SMALL)
    assert answer.code == 0
    note = "note: a.csv: always predicting 'often' has an error of 10.00 %; the best method, "
    assert answer.lines[-1].startswith(note)


INTERRUPTED = """
import time, warnings
from sklearn.dummy import DummyClassifier
from freemetric.exceptions import InterruptedFitWarning
from freemetric.tabular import methods

class Slow(DummyClassifier):  # like learners that keep what they have found
    def fit(self, X, y):
        print("fitting", flush=True)
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            warnings.warn("Slow.fit was interrupted; the best state so far is kept.", InterruptedFitWarning)
        return super().fit(X, y)

methods.METHODS["slow"] = methods.Method(Slow)
from freemetric.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_an_interrupt_writes_nothing(home, tmp_path):
    """Ctrl-C, from the shell's side: code 130, files as they were, and no traceback."""
    (tmp_path / "page.html").write_text("as it was")
    words = ["evaluate", str(home / "people.csv"), "--target", "class", "--methods", "slow"]
    command = [sys.executable, "-c", INTERRUPTED, *words, "--report", "page.html", "-o", "scores.csv"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "fitting\n"
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert (tmp_path / "page.html").read_text() == "as it was"
