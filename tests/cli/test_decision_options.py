"""``freemetric predict --costs --reject --novelty``: least expected cost, p-values, and rows without a prediction."""

import numpy as np
import pandas as pd
import pytest

from freemetric.tabular import TableModel, read

COSTS = "true,yes,no\nno,1,0\nyes,0,500\n"  # neither rows nor columns are in the order of the classes


@pytest.fixture(scope="module")
def folder(freemetric, people, tmp_path_factory):
    """A model of half of the people, all of them with two who are far away, and a table of costs."""
    folder = tmp_path_factory.mktemp("decisions")
    far = people.tail(2).assign(size=[1e4, -1e4])
    people.iloc[::2].to_csv(folder / "old.csv", index=False)
    pd.concat([people.iloc[1::2], far]).to_csv(folder / "new.csv", index=False)
    (folder / "costs.csv").write_text(COSTS)
    words = ["--target", "class", "--set", "n_replicas=6", "-o", folder / "people.fm"]
    assert freemetric("fit", folder / "old.csv", *words).code == 0
    return folder


def predicted(freemetric, folder, tmp_path, *words):
    answer = freemetric("predict", folder / "people.fm", folder / "new.csv", *words, "-o", tmp_path / "out.csv")
    assert answer.code == 0, answer.lines
    return pd.read_csv(tmp_path / "out.csv"), answer.lines


def test_least_expected_cost(freemetric, folder, tmp_path):
    made, lines = predicted(freemetric, folder, tmp_path, "--proba", "--costs", folder / "costs.csv")
    no, yes = made["probability of no"], made["probability of yes"]
    dear = np.where(yes * 500 < no * 1, "no", "yes")
    assert made["prediction"].tolist() == dear.tolist()
    assert (made["prediction"] != np.where(yes > no, "yes", "no")).any()  # costs have changed answers
    truth = pd.read_csv(folder / "new.csv")["class"].to_numpy()
    paid = np.where(truth == dear, 0, np.where(truth == "yes", 500, 1)).mean()
    assert f"mean cost {paid:.4g} of the rows" in lines[-1]
    plain, _ = predicted(freemetric, folder, tmp_path, "--costs", folder / "costs.csv")
    assert list(plain) == ["prediction"]
    assert plain["prediction"].tolist() == dear.tolist()


def test_rows_unlike_those_of_the_fit_have_no_prediction(freemetric, folder, tmp_path):
    made, lines = predicted(freemetric, folder, tmp_path, "--reject", "0.1")
    assert list(made) == ["prediction", "p-value of novelty"]
    model, table = TableModel.load(folder / "people.fm"), read(folder / "new.csv")
    features = model.pipeline[:-1].transform(model.matched(table))
    np.testing.assert_allclose(made["p-value of novelty"], model.pipeline[-1].score_samples(features))
    rejected = made["prediction"].isna()
    assert rejected.tolist() == (made["p-value of novelty"] <= 0.1).tolist()
    assert rejected.tail(2).all()
    assert not rejected.all()
    right = (made["prediction"] == pd.read_csv(folder / "new.csv")["class"])[~rejected].mean()
    said = [f"{rejected.sum()} rows rejected, unlike those of the fit"]
    assert lines == [*said, f"accuracy {100 * right:.2f} % of the rows that have a class and a prediction"]


def test_p_values_reject_nothing(freemetric, folder, tmp_path):
    made, _ = predicted(freemetric, folder, tmp_path, "--novelty")
    assert list(made) == ["prediction", "p-value of novelty"]
    assert not made.isna().any(axis=None)


def test_json_has_gaps_for_rejected_rows(freemetric, folder):
    words = ["--reject", "0.1", "--costs", folder / "costs.csv", "--json"]
    said = freemetric("predict", folder / "people.fm", folder / "new.csv", *words).json
    assert said["rejected"] == said["columns"]["prediction"].count(None) >= 2
    assert said["cost"] >= 0


def test_costs_with_decimal_commas(freemetric, folder, tmp_path):
    (tmp_path / "costs.csv").write_text("true;no;yes\nno;0;0,5\nyes;250,0;0\n")  # half of the others
    words = ["--costs", tmp_path / "costs.csv", "--decimal", ",", "--json"]
    halves = freemetric("predict", folder / "people.fm", folder / "new.csv", *words).json
    whole = freemetric(
        "predict", folder / "people.fm", folder / "new.csv", "--costs", folder / "costs.csv", "--json"
    ).json
    assert halves["columns"]["prediction"] == whole["columns"]["prediction"]
    assert halves["cost"] == pytest.approx(whole["cost"] / 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("true,yes\nno,1\nyes,0\n", "costs without a column of the class 'no'"),
        ("true,yes,no\nyes,0,5\n", "costs without a row of the class 'no'"),
        ("true,yes,no,perhaps\nyes,0,5,1\nno,1,0,1\n", "costs with a column of 'perhaps', which is no class"),
        ("true,yes,no\nyes,0,5\nno,1,0\nno,2,0\n", "costs with two rows of one class"),
        ("true,yes,no\nyes,0,\nno,1,0\n", "costs with an empty cell"),
        ("true,yes,no\nyes,0,much\nno,1,0\n", "row 1 (line 2), column 'no': 'much' is not a finite number"),
    ],
)
def test_costs_that_are_none(freemetric, folder, tmp_path, text, message):
    (tmp_path / "costs.csv").write_text(text)
    words = ["--costs", tmp_path / "costs.csv"]
    answer = freemetric("predict", folder / "people.fm", folder / "new.csv", *words)
    assert (answer.code, answer.out, answer.lines) == (2, "", [f"{tmp_path / 'costs.csv'}: {message}"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--costs", "costs.csv"], "--costs: MetricKNeighborsClassifier cannot; models of --method free-energy can"),
        (["--reject", "0.1"], "--reject: MetricKNeighborsClassifier cannot; models of --method free-energy can"),
        (["--novelty"], "--novelty: MetricKNeighborsClassifier cannot; models of --method free-energy can"),
    ],
)
def test_models_without_p_values(freemetric, home, folder, words, message):
    words = [folder / word if word.endswith(".csv") else word for word in words]
    answer = freemetric("predict", home / "people.fm", home / "people.csv", *words)
    assert (answer.code, answer.out, answer.lines) == (2, "", [message])


def test_shares_beyond_all_rows(freemetric, folder):
    answer = freemetric("predict", folder / "people.fm", folder / "new.csv", "--reject", "5")
    assert (answer.code, answer.lines) == (2, ["--reject: 5 is no probability between 0 and 1"])
