"""What is reported of a fit while it runs, against what the fit itself says in the end."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from freemetric.report.collect import collect
from freemetric.report.document import evenly
from freemetric.serve.folders import Folder, RefusedError
from freemetric.serve.requests import Upload
from freemetric.serve.session import FittedRows
from freemetric.serve.worker import Live, seen_alike, summary, write_rows
from freemetric.tabular import TableModel


@pytest.fixture(scope="module")
def fitted(csv, tmp_path_factory):
    folder = Folder(tmp_path_factory.mktemp("serve") / "1")
    path = folder.path / "table.csv"
    path.write_bytes(csv)
    events = []
    with Upload(str(path), "flowers.csv").noted():
        table = Upload(str(path), "flowers.csv").table({})
        model = TableModel.fit(table, "kind", parameters={"n_replicas": 16}, on_step=Live(events.append))
        X, y = model.rows(table)
        write_rows(model, table, X, collect(model.pipeline, X, y), folder.path)
    return model, table, events, FittedRows(folder)


def of_type(events, kind):
    return [event for event in events if event["type"] == kind]


def test_walks_are_those_of_the_model(fitted):
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    model, _, events, _ = fitted
    walks, energy = of_type(events, "walk"), model.pipeline[-1].trace_["energy"]
    assert sum(walk["replicas"] for walk in walks) == energy.shape[1]
    ends = [np.median(block) for block in np.split(energy[-1], np.cumsum([w["replicas"] for w in walks])[:-1])]
    assert sorted(walk["energy"][-1] for walk in walks) == pytest.approx(sorted(ends), rel=1e-3)
    steps = of_type(events, "step")
    assert steps[-1]["done"] <= steps[-1]["total"]
    found = of_type(events, "round")[-1]["found"]
    assert of_type(events, "round")[-1]["score"] == "Brier score"
    assert [c["score"] for c in found] == sorted(c["score"] for c in found)
    assert found[0]["score"] == pytest.approx(model.pipeline[-1].selection_["oob_brier"].min(), abs=2e-4)


def test_spaces_are_reported(fitted):
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    space = of_type(fitted[2], "space")[0]
    frames = np.array(space["frames"])
    assert frames.shape[1:] == (60, 2)
    assert np.bincount(space["class"]).tolist() == [20, 20, 20]
    np.testing.assert_allclose((frames**2).sum(axis=2).mean(axis=1), 1, rtol=0.02)


def test_a_plane_is_seen_as_it_is_whatever_way_it_lies(rng):
    plane = rng.normal(size=(30, 2)) * [2, 1]
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0][:2]
    first = seen_alike([plane @ turn], None)[-1]
    assert np.ptp(pdist(first) / pdist(plane)) < 1e-9  # all distances, up to a unit
    mirrored = seen_alike([plane @ turn * [1, -1, 1, -1, 1]], first)[-1]
    np.testing.assert_allclose(mirrored, first, atol=1e-9)


def test_a_line_has_a_second_axis_of_zeros(rng):
    line = rng.normal(size=(9, 1))
    assert seen_alike([line], None).shape == (1, 9, 2)
    assert np.isfinite(seen_alike([np.zeros((4, 3))], None)).all()


def test_evenly():
    assert evenly(5, 10).tolist() == [0, 1, 2, 3, 4]
    assert evenly(100, 3).tolist() == [0, 50, 99] or evenly(100, 3).tolist() == [0, 49, 99]
    assert evenly(0, 3).tolist() == []


def test_neighbours_are_those_of_the_learned_space(fitted, flowers):
    model, table, _, rows = fitted
    Z = model.transform(table)
    for i in (0, 7, 59):
        seen = rows.look(i)
        distance = np.sqrt(((Z - Z[i]) ** 2).sum(axis=1))
        order = [j for j in np.argsort(distance, kind="stable") if j != i][:8]
        np.testing.assert_allclose([near["distance"] for near in seen["neighbors"]], distance[order], rtol=1e-3)
        assert seen["self"]["class"] == flowers["kind"].iloc[i]
        assert seen["self"]["line"] == i + 2
        for near in seen["neighbors"]:
            assert near["class"] == flowers["kind"].iloc[near["row"]]


def test_cells_are_those_of_the_file(fitted, flowers):
    seen = fitted[3].look(11)
    shown = [11, *(near["row"] for near in seen["neighbors"])]
    names = [column["name"] for column in seen["columns"]]
    assert sorted(names) == ["field", "id", "length", "width"]
    assert names[-1] == "id"
    assert not seen["columns"][-1]["used"]
    for column, cells in zip(names, seen["cells"], strict=True):
        expected = [None if value != value or value is None else str(value) for value in flowers[column].iloc[shown]]
        assert [None if cell is None else str(cell) for cell in cells] == expected, column


def test_wrong_rows_are_those_of_the_votes_out_of_bag(fitted, flowers):
    model, _, _, rows = fitted
    votes = model.pipeline[-1].oob_decision_function_
    predicted = model.pipeline.classes_[np.nan_to_num(votes, nan=-1).argmax(axis=1)]
    wrong = np.flatnonzero((predicted != flowers["kind"]) & np.isfinite(votes).all(axis=1))
    assert rows.index()["wrong"] == wrong.tolist()
    assert rows.index()["out_of_bag"]
    with pytest.raises(RefusedError, match="no row 60"):
        rows.look(60)


def test_the_summary(fitted):
    said = summary(fitted[0])
    assert said["rows"] == 60
    assert said["columns"] == 3
    assert said["score"] == pytest.approx(fitted[0].pipeline[-1].oob_score_)
    assert sum(share for _, share in said["weights"]) == pytest.approx(100)
    owed = said["importances"]
    assert {name for name, _, _ in owed} == {"length", "width", "field"}
    assert owed[0][0] == "length"  # which alone tells red flowers from the others
    assert [mean for _, mean, _ in owed] == sorted((mean for _, mean, _ in owed), reverse=True)
