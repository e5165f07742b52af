"""From features back to the cells of the file, and importances by the columns of the file."""

import numpy as np
import pytest

from freemetric.report import document
from freemetric.report.collect import collect
from freemetric.report.page import contents
from freemetric.tabular import TableModel, read

pd = pytest.importorskip("pandas")
QUICK = {"n_replicas": 8, "recipe__candidates": ["scaled/diagonal", "scaled/full"]}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Numbers with gaps and without, two names, several, some of them rare, and a date."""
    rng, n = np.random.default_rng(0), 120
    y = rng.integers(0, 2, n)
    days = pd.Timestamp("2021-03-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    colours = np.array(["red", "green", "blue", "a rare one"])[rng.choice(4, n, p=[0.4, 0.3, 0.29, 0.01])]
    frame = pd.DataFrame({"size": (1000 + 300 * y + 123.456 * rng.random(n)).round(2), "colour": colours})
    frame["weight"] = np.where(rng.random(n) < 0.2, np.nan, rng.random(n).round(3))
    frame["coin"], frame["day"] = np.where(rng.random(n) < 0.5, "head", "tail"), days.strftime("%Y-%m-%d")
    frame["class"] = np.where(y, "yes", "no")
    path = tmp_path_factory.mktemp("people") / "people.csv"
    frame.to_csv(path, index=False)
    with pytest.warns(match="read as dates"):
        model = TableModel.fit(read(path), "class", parameters=QUICK)
    return frame, path, model


def as_shown(findings):
    return pd.DataFrame({name: [document.cell(cell) for cell in cells] for name, cells in findings.columns})


def test_kept_rows_are_those_of_the_file(people):
    frame, _, model = people
    findings = collect(model.pipeline, columns=model.originals())
    shown = as_shown(findings)
    assert list(shown) == ["size", "colour", "weight", "coin", "day"]
    written = frame.iloc[findings.rows, :5].reset_index(drop=True).map(document.cell)
    common = written["colour"].value_counts()[written["colour"]].to_numpy() > 1
    written["colour"] = np.where(common, written["colour"], "others")  # a name of one row has no feature of its own
    pd.testing.assert_frame_equal(shown, written, check_dtype=False)


def test_given_rows_are_those_of_the_file(people, tmp_path):
    frame, _, model = people
    new = frame[:20].copy()
    new.loc[3, ["colour", "coin"]] = "purple", "edge"
    new.loc[4, ["size", "day"]] = np.nan, np.nan
    new.loc[5, "day"] = "2022-01-08 12:00"
    new.to_csv(tmp_path / "new.csv", index=False)
    with pytest.warns(match="never seen"):
        X, y = model.rows(read(tmp_path / "new.csv"))
    shown = as_shown(collect(model.pipeline, X, y, columns=model.originals()))
    pd.testing.assert_frame_equal(shown, new.iloc[:, :5].map(document.cell), check_dtype=False)


def test_what_no_training_row_had_is_called_so(people):
    _, _, model = people
    behind = model.originals()
    values = np.zeros((1, len(behind.features)))
    values[:, [j for j, (column, _) in enumerate(behind.features) if column == "coin"]] = 0.5
    cells = dict(zip(behind.names, behind.of_features(values), strict=True))
    assert cells["coin"].tolist() == ["neither"]
    assert cells["colour"].tolist() == ["another"]


def test_importances_by_column(people):
    _, _, model = people
    found = model.importances()
    assert sorted(found.names) == ["coin", "colour", "day", "size", "weight"]
    assert found.names[found.mean.argmax()] == "size"
    findings = collect(model.pipeline, columns=model.originals())
    of_report = dict(zip(findings.names, findings.importances, strict=True))
    assert of_report == dict(zip(found.names, found.mean, strict=True))
    assert findings.weights.sum() == pytest.approx(1)
    explained = contents(findings)["explanations"]
    assert explained["features"] == ["size", "colour", "weight", "coin", "day"]
    parts = np.array([sum(share for _, share, *_ in entry["own"]["features"]) for entry in explained["rows"]])
    assert np.median(np.abs(parts - 1)) < 0.05  # five columns are all there are


def test_a_method_without_votes_out_of_bag(people):
    frame, path, _ = people
    with pytest.warns(match="read as dates"):
        model = TableModel.fit(read(path), "class", "rca")
    assert model.importances() is None
    X, y = model.rows(read(path))
    findings = collect(model.pipeline, X, y, columns=model.originals())
    pd.testing.assert_frame_equal(as_shown(findings), frame.iloc[:, :5].map(document.cell), check_dtype=False)
    assert findings.importances is None


def test_frames_are_shown_as_they_are(people, tmp_path):
    from freemetric import FreeEnergyClassifier, TableClassifier

    frame, _, _ = people
    with pytest.warns(match="read as dates"):
        model = TableClassifier(FreeEnergyClassifier().set_params(**QUICK), random_state=0).fit(
            frame[["size", "day"]], frame["class"]
        )
    assert model.importances().names.tolist() == ["size", "day"]
    text = model.report(tmp_path / "a.html", frame[["size", "day"]], frame["class"]).read_text(encoding="utf-8")
    assert frame["day"][0] in text
    assert frame["day"][0] in model.report(tmp_path / "b.html").read_text(encoding="utf-8")
