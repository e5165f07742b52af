"""Numbers to predict, from the shell's side: fit sees them, predict writes them, and what cannot be is one line."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from freemetric import FreeEnergyRegressor, Recipe
from freemetric.tabular import TableModel, read
from tests.files.tampering import parts, seal

FAST = ["--set", "n_replicas=8", "--set", 'recipe__candidates=["scaled/diagonal"]']


@pytest.fixture(scope="module")
def homes():
    rng = np.random.default_rng(3)
    n = 90
    frame = pd.DataFrame({"area": rng.uniform(20, 200, n).round(1), "town": rng.choice(["Rome", "Bonn"], n)})
    frame["price"] = (1000 + 12 * frame["area"] + 300 * (frame["town"] == "Rome") + rng.normal(0, 40, n)).round(2)
    frame.loc[:4, "price"] = np.nan
    return frame


@pytest.fixture(scope="module")
def folder(homes, freemetric, tmp_path_factory):
    folder = tmp_path_factory.mktemp("homes")
    homes.to_csv(folder / "homes.csv", index=False)
    answer = freemetric("fit", folder / "homes.csv", "--target", "price", *FAST, "-o", folder / "homes.fm")
    assert answer.code == 0
    where = f"note: {folder / 'homes.csv'}:"
    assert answer.lines == [
        f"{where} column 'price' is predicted as a number (85 different ones in 85 rows); "
        "--task classify takes them for classes",
        f"{where} 5 rows without a number are left out",
    ]
    assert "free-energy on 85 rows, 2 columns, regression of price, out-of-bag R² 0.9" in answer.out
    return folder


def test_what_is_predicted_is_what_the_regressor_says(freemetric, folder, homes, tmp_path):
    words = ["--interval", "0.9", "--quantiles", "0.1,0.5,0.9", "--keep", "town", "-o", tmp_path / "out.csv"]
    answer = freemetric("predict", folder / "homes.fm", folder / "homes.csv", *words)
    assert answer.code == 0
    found = pd.read_csv(tmp_path / "out.csv")
    quantiles = ["quantile 0.1", "quantile 0.5", "quantile 0.9"]
    assert list(found) == ["town", "prediction", *quantiles, "lower 90 %", "upper 90 %"]
    area = (homes[["area"]] - homes["area"][5:].min()) / np.ptp(homes["area"][5:])
    X = np.column_stack([area, homes["town"] == "Rome"]).astype(float)
    model = FreeEnergyRegressor(8, recipe=Recipe(candidates=["scaled/diagonal"]), random_state=0).fit(
        X[5:], homes["price"][5:]
    )
    np.testing.assert_allclose(found["prediction"], model.predict(X))
    np.testing.assert_allclose(found[quantiles], model.predict_quantiles(X))
    np.testing.assert_allclose(found[["lower 90 %", "upper 90 %"]], model.predict_interval(X, 0.1))
    truth, predicted = homes["price"][5:], found["prediction"][5:]
    errors = truth - predicted
    inside = truth.between(found["lower 90 %"][5:], found["upper 90 %"][5:]).mean()
    assert "learned from most of these rows, so the errors say little about new ones" in answer.lines[0]
    assert answer.lines[1] == (
        f"R² {1 - (errors**2).sum() / ((truth - truth.mean()) ** 2).sum():.4g}, "
        f"mean absolute error {errors.abs().mean():.4g}, RMSE {np.sqrt((errors**2).mean()):.4g} "
        f"on the 85 rows with a known target; {100 * inside:.1f} % lie in their 90 % intervals"
    )
    said = freemetric("predict", folder / "homes.fm", folder / "homes.csv", "--json").json
    assert said["rows"] == 90
    assert said["known_rows"] == 85
    assert said["columns"]["prediction"] == pytest.approx(found["prediction"].tolist())


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "xlsx", "parquet", "csv.gz"])
def test_every_format_holds_numbers(freemetric, folder, homes, tmp_path, ending):
    homes.drop(columns="price").to_csv(tmp_path / "new.csv", index=False)
    words = ["--interval", "0.8", "-o", tmp_path / f"out.{ending}"]
    answer = freemetric("predict", folder / "homes.fm", tmp_path / "new.csv", *words)
    assert (answer.code, answer.lines) == (0, [])
    table, expected = (
        read(tmp_path / f"out.{ending}"),
        TableModel.load(folder / "homes.fm").predict(read(tmp_path / "new.csv")),
    )
    np.testing.assert_allclose(table.numbers("prediction"), expected[0])
    assert (table.numbers("lower 80 %") < table.numbers("upper 80 %")).all()


def test_inspected(freemetric, folder):
    said = freemetric("inspect", folder / "homes.fm", "--json").json
    assert (said["task"], said["regressor"], said["score"]) == ("regress", "FreeEnergyRegressor", "R²")
    assert said["numbers"]["lowest"] > 1000
    assert said["oob_score"] > 0.9
    assert said["columns"][0]["importance"] > said["columns"][1]["importance"] > 0
    shown = freemetric("inspect", folder / "homes.fm").out
    assert "target        price: from 1" in shown
    assert "what the out-of-bag R² loses" in shown
    assert freemetric("transform", folder / "homes.fm", folder / "homes.csv").out.startswith("z1,")


def test_a_german_file(freemetric, homes, tmp_path):
    german = {
        name: homes[name].map(lambda x: "" if x != x else f"{x:,.2f}".translate(str.maketrans(",.", ".,")))
        for name in ("area", "price")
    }
    homes.assign(**german).to_csv(tmp_path / "de.csv", sep=";", index=False)
    homes.to_csv(tmp_path / "plain.csv", index=False)
    for name in ("de", "plain"):
        answer = freemetric("fit", tmp_path / f"{name}.csv", "--target", "price", *FAST, "-o", tmp_path / f"{name}.fm")
        assert answer.code == 0
        assert (len([line for line in answer.lines if "read as numbers with decimal ','" in line]) == 2) == (
            name == "de"
        )
    plain = freemetric("predict", tmp_path / "plain.fm", tmp_path / "plain.csv")
    german = freemetric("predict", tmp_path / "de.fm", tmp_path / "de.csv")
    assert german.out == plain.out  # numbers with points, whatever came in
    assert german.lines[-1] == plain.lines[-1]  # the errors, too, from a target with decimal commas
    words = [tmp_path / "de.fm", tmp_path / "plain.csv", "--decimal", "."]
    assert freemetric("predict", *words).out == plain.out


@pytest.mark.parametrize("method", ["euclidean", "mlkr"])
def test_metrics_that_k_nn_follows(freemetric, folder, tmp_path, method):
    words = ["--target", "price", "--method", method, "--set", "n_neighbors=5", "-o", tmp_path / "a.fm"]
    answer = freemetric("fit", folder / "homes.csv", *words)
    assert answer.code == 0
    assert answer.out.strip().endswith("2 columns, regression of price")
    answer = freemetric("predict", tmp_path / "a.fm", folder / "homes.csv")
    assert float(answer.lines[-1].split()[1].rstrip(",")) > 0.8
    answer = freemetric("predict", tmp_path / "a.fm", folder / "homes.csv", "--interval", "0.9")
    said = "--interval: MetricKNeighborsRegressor gives point predictions only; --method free-energy predicts quantiles"
    assert (answer.code, answer.lines) == (2, [said])
    assert "k = 5" in freemetric("inspect", tmp_path / "a.fm").out


def test_ratings_either_way(freemetric, people, tmp_path):
    people.assign(rating=people["size"].rank(pct=True).mul(5).apply(np.ceil).astype(int)).drop(columns="class").to_csv(
        tmp_path / "a.csv", index=False
    )
    words = [tmp_path / "a.csv", "--target", "rating", *FAST, "-o", tmp_path / "a.fm"]
    answer = freemetric("fit", *words)
    assert (answer.code, answer.lines) == (0, [])
    assert ", 5 classes from 1 to 5 (--task regress for regression), out-of-bag accuracy" in answer.out
    answer = freemetric("fit", *words, "--task", "regress")
    assert (answer.code, answer.lines) == (0, [])
    assert "regression of rating, out-of-bag R²" in answer.out


def test_numbers_with_decimals_may_be_classes(freemetric, people, tmp_path):
    people.assign(dose=np.where(people["size"] > 0, 0.5, 1.5)).to_csv(tmp_path / "a.csv", index=False)
    words = ["--target", "dose", "--task", "classify", "--method", "euclidean", "-o", tmp_path / "a.fm"]
    assert freemetric("fit", tmp_path / "a.csv", *words).code == 0
    answer = freemetric("predict", tmp_path / "a.fm", tmp_path / "a.csv", "--proba")
    assert answer.out.splitlines()[0] == "prediction,probability of 0.5,probability of 1.5"
    assert answer.lines[-1].startswith("accuracy ")


@pytest.mark.parametrize(
    ("columns", "words", "message"),
    [
        ({}, ["--target", "town", "--task", "regress"], "row 1 (line 2), column 'town': "),
        ({}, ["--target", "price", "--method", "nca"], "method 'nca' cannot predict a number; known: free-energy"),
        ({}, ["--target", "price", "--method", "magic"], "unknown method 'magic'; known: free-energy"),
        ({}, ["--target", "price", "--task", "guess"], "the task is classify or regress and not 'guess'"),
        ({}, ["--target", "price", "--weight", "price"], "'price' is to be predicted and cannot be the weight"),
        ({"price": 2.5}, ["--target", "price"], "every row has the number '2.5' in column 'price'; two different"),
        ({"price": 7}, ["--target", "price", "--task", "regress"], "every row has the number '7' in column 'price'"),
        ({"price": ""}, ["--target", "price", "--task", "regress"], "no row has a number in column 'price'"),
        ({"price": "inf"}, ["--target", "price", "--task", "regress"], "'inf' is no number to predict"),
        ({}, ["--target", "price", "--task", "classify"], "every row has a class of its own; --task regress"),
        ({}, ["--target", "price", "--set", "scale=cube"], "method 'free-energy': The 'scale' parameter"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line(freemetric, homes, tmp_path, columns, words, message):
    homes.assign(**columns).to_csv(tmp_path / "a.csv", index=False)
    answer = freemetric("fit", tmp_path / "a.csv", *words, "-o", tmp_path / "a.fm")
    assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
    assert message in answer.lines[0]
    assert not (tmp_path / "a.fm").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--proba"], "--proba is for classification; --interval 0.9 gives prediction intervals of this model"),
        (["--reject", "0.1"], "--reject is for classification, and this model is a regression"),
        (["--interval", "90"], "--interval: 90 is no probability between 0 and 1"),
        (["--quantiles", "0.1,2"], "--quantiles: 2 is no probability between 0 and 1"),
        (["--quantiles", "a"], "--quantiles wants probabilities such as 0.1,0.5,0.9, not 'a'"),
    ],
)
def test_what_a_model_of_numbers_cannot_say(freemetric, folder, words, message):
    answer = freemetric("predict", folder / "homes.fm", folder / "homes.csv", *words)
    assert (answer.code, answer.out, answer.lines) == (2, "", [message])


def test_what_a_model_of_classes_cannot_say(freemetric, home):
    answer = freemetric("predict", home / "people.fm", home / "people.csv", "--interval", "0.9")
    said = "--interval is for numbers, and this model predicts classes; --proba says how sure it is"
    assert (answer.code, answer.out, answer.lines) == (2, "", [said])


def test_new_rows_whose_number_is_not_there_yet(freemetric, folder, homes, tmp_path):
    homes.assign(price=["soon"] * 89 + ["1500"]).to_csv(tmp_path / "new.csv", index=False)
    answer = freemetric("predict", folder / "homes.fm", tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert answer.code == 0
    assert answer.lines[-1].startswith("mean absolute error ")
    assert answer.lines[-1].endswith("on the 1 row with a known target")


@pytest.mark.parametrize("name", ["lowest", "mean", "decimal", "thousands", None])
@pytest.mark.parametrize("value", [None, "\x1b[2J", [1], 10**400, {"a": 1}])
def test_altered_notes_are_one_line(freemetric, folder, tmp_path, name, value):
    header, tree, arrays = parts(folder / "homes.fm")
    about = header["about"]["table"]
    changed = {**about["numbers"], name: value} if name else value
    altered = {**header, "about": {"table": {**about, "numbers": changed}}}
    seal(tmp_path / "a.fm", altered, tree, arrays)
    answer = freemetric("predict", tmp_path / "a.fm", folder / "homes.csv", "-o", tmp_path / "out.csv")
    said = f"{tmp_path / 'a.fm'}: a model, but not of a table; `freemetric fit` makes such"
    assert (answer.code, answer.lines) == (2, [said])


def test_rows_weigh_differently(freemetric, homes, tmp_path):
    homes.assign(w=np.where(homes["area"] > 100, 1.0, 0.0)).to_csv(tmp_path / "a.csv", index=False)
    words = ["--target", "price", "--weight", "w", *FAST, "-o", tmp_path / "a.fm"]
    assert freemetric("fit", tmp_path / "a.csv", *words).code == 0
    out = freemetric("predict", tmp_path / "a.fm", tmp_path / "a.csv").out
    heavy = homes["price"][homes["area"] > 100]
    assert min(map(float, out.split()[1:])) > heavy.min() - 200  # rows without a weight are not known


EVALUATE = ["--target", "price", "--folds", 2, "--repeats", 1]


def test_evaluated(freemetric, folder, tmp_path):
    methods = ["--methods", "free-energy,euclidean", "--set", "free-energy.n_replicas=6"]
    files = ["-o", tmp_path / "scores.csv", "--report", tmp_path / "page.html"]
    answer = freemetric("evaluate", folder / "homes.csv", *EVALUATE, *methods, *files)
    assert answer.code == 0
    assert f"{tmp_path / 'page.html'}: open it in a browser" in answer.out
    assert "is predicted as a number (85 different ones in 85 rows); --task classify" in answer.lines[0]
    assert answer.lines[1:] == ["note: euclidean gives no quantiles, so that it has no pinball loss and no intervals"]
    assert "| Error in % | R² | MAE | RMSE | Pinball | Seconds |" in answer.out
    assert "| homes.csv | free-energy | **" in answer.out
    assert "| Coverage (90) in % | Width (90) |" in answer.out
    scores = pd.read_csv(tmp_path / "scores.csv").set_index("method")
    assert scores.loc["free-energy", "r2"] > scores.loc["constant", "r2"]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"<td>{scores.loc['free-energy', 'r2']:.3f} ± {scores.loc['free-energy', 'r2 ±']:.3f}</td>" in page
    assert all(f'id="{plot}-plot"' in page for plot in ("scores", "predicted", "residuals", "coverage", "width"))
    said = freemetric("evaluate", folder / "homes.csv", *EVALUATE, "--methods", "euclidean", "--json").json
    assert said["task"] == "regress"
    assert said["results"][0]["scores"]["coverage_90"]["mean"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--methods", "nca"], "method 'nca' cannot predict a number; known: free-energy, euclidean"),
        (["--methods", "magic"], "Unknown method 'magic'"),
        (["--report", "a.csv"], "a.csv: --report writes a page, whose name ends in .html; -o writes tables"),
        (["--scoring", "accuracy"], "unknown regression score 'accuracy'"),
        (["--task", "classify"], "every row has a class of its own; --task regress predicts a quantity"),
        (["--groups", "price"], "column 'price' is to be predicted and cannot be the groups, too"),
        (["--set", "rf.x=1"], "--set wants method.name=value"),
    ],
)
def test_what_cannot_be_evaluated(freemetric, folder, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    given = EVALUATE if "--methods" in words else [*EVALUATE, "--methods", "euclidean"]
    answer = freemetric("evaluate", folder / "homes.csv", *given, *words)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.lines[-1]
    assert all(line.startswith("note: ") for line in answer.lines[:-1])


def test_methods_of_numbers_are_not_those_of_classes(freemetric, home):
    answer = freemetric("evaluate", home / "people.csv", "--target", "class", "--methods", "mlkr")
    assert (answer.code, answer.out, len(answer.lines)) == (2, "", 1)
    assert answer.lines[0].startswith("method 'mlkr' cannot predict a class; known: rf, euclidean")


@pytest.mark.slow
def test_the_real_command(folder):
    words = [sys.executable, "-m", "freemetric", "predict", "homes.fm", "homes.csv", "--proba"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
