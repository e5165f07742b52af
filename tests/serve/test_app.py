"""The server as its page meets it, with real processes behind."""

import io
import json
import os
import time
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

import freemetric
from freemetric.serve.app import application
from freemetric.serve.jobs import Bounds, ServerJob
from freemetric.serve.server import Guard
from freemetric.serve.session import Session

from .conftest import HERE, PORT, TestClient, bearer, events_of, files

HAS_CALLBACKS = find_spec("sklearn.callback") is not None  # since scikit-learn 1.9


def test_the_page_and_its_parts(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "http://" not in page.text
    assert "https://" not in page.text
    assert "onclick" not in page.text
    for path, kind in {"/page.js": "text/javascript", "/page.css": "text/css", "/plotly.js": "text/javascript"}.items():
        assert client.get(path).headers["content-type"].startswith(kind)
    assert client.get("/api/state").json()["table"] is None
    assert client.get("/../pyproject.toml").status_code == 404
    assert client.get("/page.py").status_code == 404


def test_before_there_is_a_table(client):
    for path in ("/api/fit", "/api/compare", "/api/columns"):
        answer = client.post(path, json={})
        assert (answer.status_code, answer.json()["error"]) == (422, "there is no table yet")
    for path in (
        "/download/model.fm",
        "/view/report.html",
        "/download/x",
        "/view/model.fm",
        "/api/rows",
        "/api/rows/1",
    ):
        assert client.get(path).status_code == 422
    assert client.get("/api/jobs/1/events").status_code == 422


DEEP = [b'{"name":' * n + b"1" + b"}" * n for n in (100, 900, 100_000)]


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"\xff", b"x" * (5 << 20), b"[" * 100_000, *DEEP], ids=range(9))
@pytest.mark.parametrize("path", ["/api/fit", "/api/compare", "/api/columns", "/api/example"])
def test_what_is_no_json_of_the_page_is_refused(client, path, body):
    answer = client.post(path, content=body)
    assert answer.status_code == 422
    assert answer.json()["error"].isprintable()


def test_halves_of_surrogate_pairs_are_letters_like_others(loaded):
    """JSON can name what UTF-8 cannot."""
    half = loaded.post("/api/columns", content=rb'{"target": "kind", "uses": {"\ud800": "drop"}}')
    assert half.json()["choices"]["uses"] == {"\ud800": "drop"}
    lines = b"".join(rb'{"\ud800": %d, "class": "\udfff %d"}' % (i, i % 2) + b"\n" for i in range(20))
    answer = loaded.post("/api/table", params={"name": "a.jsonl"}, content=lines)
    assert answer.status_code in (200, 422)
    assert answer.json()


def test_a_fit_from_the_file_to_the_model(loaded, session, csv, tmp_path):
    assert loaded.get("/api/state").json()["table"]["target"] == "kind"
    chosen = loaded.post("/api/columns", json={"target": "kind", "uses": {"field": "drop"}}).json()
    assert chosen["choices"]["uses"] == {"field": "drop"}
    job = loaded.post("/api/fit", json={"quick": True, "seed": 3}).json()
    events = events_of(loaded, job)
    assert events[-1]["type"] == "done", events[-1]
    seen = {"begin", "stage"} | ({"walk", "space", "round"} if HAS_CALLBACKS else set())
    assert seen <= {event["type"] for event in events}
    assert loaded.get("/api/state").json()["results"]["fit"] == events[-1]["result"]

    download = loaded.get("/download/model.fm")
    assert download.headers["content-disposition"] == 'attachment; filename="flowers.fm"'
    (tmp_path / "model.fm").write_bytes(download.content)
    made = freemetric.load(tmp_path / "model.fm")
    assert made.classes_.tolist() == ["blue", "red", "white"]
    assert "field" not in made.feature_names_in_

    report = loaded.get("/view/report.html")
    policy = report.headers["content-security-policy"]
    assert "frame-ancestors 'self'" in policy
    assert "script-src 'sha256-" in policy
    assert "connect-src" not in policy  # and so nothing, by default-src
    assert report.text == loaded.get("/download/report.html").text
    assert loaded.get("/api/rows").json()["n"] == 60
    assert loaded.get("/api/rows/5").json()["self"]["row"] == 5
    assert loaded.get("/api/rows/60").status_code == 422

    loaded.post("/api/fit", json={})  # which is cancelled; what was there stays
    loaded.post("/api/cancel", json={})
    assert loaded.get("/download/model.fm").content == download.content
    assert loaded.get("/api/rows/5").status_code == 200

    again = loaded.post("/api/table", params={"name": "other.csv"}, content=csv)  # a new table, nothing of the old
    assert again.json()["name"] == "other.csv"
    assert loaded.get("/api/state").json()["results"] == {}
    assert loaded.get("/download/model.fm").status_code == 422
    assert files(session) == ["table.csv"]


@pytest.mark.slow
def test_numbers_from_the_file_to_the_model(client, houses, houses_csv, tmp_path, warm):
    said = client.post("/api/table", params={"name": "houses.csv"}, content=houses_csv).json()
    assert (said["target"], said["task"], said["targets"]["n"], said["classes"]) == ("price", "regress", 79, [])
    events = events_of(client, client.post("/api/fit", json={"quick": True}).json())
    assert events[-1]["type"] == "done", events[-1]
    begin = next(event for event in events if event["type"] == "begin")
    price = houses["price"].dropna().str.replace(",", ".").astype(float)
    assert begin["quarters"][::4] == pytest.approx([price.min(), price.max()], rel=1e-3)
    if HAS_CALLBACKS:
        ranks = next(event for event in events if event["type"] == "space")["rank"]
        assert len(ranks) == 79
        assert max(ranks) == 1
    result = events[-1]["result"]
    assert result["task"] == "regress"
    assert result["score_name"] == "out-of-bag R²"

    (tmp_path / "model.fm").write_bytes(client.get("/download/model.fm").content)
    last = freemetric.load(tmp_path / "model.fm")[-1]
    off = price.to_numpy() - last.oob_prediction_
    assert result["errors"]["r2"] == pytest.approx(last.oob_score_, abs=1e-3)
    assert result["errors"]["mae"] == pytest.approx(np.nanmean(np.abs(off)), rel=1e-3)
    assert result["errors"]["rmse"] == pytest.approx(np.sqrt(np.nanmean(off**2)), rel=1e-3)
    assert 0.8 < result["errors"]["coverage"] <= 1

    index = client.get("/api/rows").json()
    assert (index["n"], index["target"]) == (79, "price")
    seen = client.get("/api/rows/5").json()  # the sixth that has a price, the seventh of the file
    assert (seen["self"]["row"], seen["self"]["line"], seen["self"]["class"]) == (5, 8, houses["price"][6])
    story = seen["self"]["story"]
    assert story["truth"] == pytest.approx(price[6])
    assert story["predicted"] == pytest.approx(last.oob_prediction_[5], rel=1e-5)
    assert story["low"] < story["predicted"] < story["high"]
    stories = [client.get(f"/api/rows/{i}").json()["self"]["story"] for i in range(79)]
    apart = [_is_inside(story) for story in stories]  # None at an end: that is the error of a sample, perhaps of this
    assert [i for i in index["wrong"] if apart[i] is not None] == [i for i in range(79) if apart[i] is False]
    assert "Predicted against true" in client.get("/view/report.html").text


def _is_inside(story):
    if story["predicted"] is None:
        return True
    ends = np.array([story["low"], story["high"]])
    return None if np.isclose(ends, story["truth"], rtol=1e-6).any() else bool(ends[0] < story["truth"] < ends[1])


@pytest.mark.slow
def test_a_metric_for_numbers_is_scored_on_other_rows(client, houses_csv, warm):
    client.post("/api/table", params={"name": "houses.csv"}, content=houses_csv)
    events = events_of(client, client.post("/api/fit", json={"method": "mlkr"}).json())
    result = events[-1]["result"]
    assert result["score"] is None
    assert result["errors"]["r2"] > 0.9
    assert result["errors"]["coverage"] is None
    assert "nearest other rows" in result["source"]
    seen = client.get("/api/rows/0").json()["self"]["story"]
    assert seen["low"] is None
    refused = events_of(client, client.post("/api/fit", json={"method": "lmnn"}).json())[-1]
    assert refused["text"].startswith("method 'lmnn' cannot predict a number; known: free-energy")


@pytest.mark.slow
def test_a_comparison_of_numbers(client, houses_csv, warm):
    client.post("/api/table", params={"name": "houses.csv"}, content=houses_csv)
    settings = {"methods": ["euclidean", "rf"], "folds": 2, "repeats": 1}
    events = events_of(client, client.post("/api/compare", json=settings).json())
    assert events[-1]["type"] == "done", events[-1]
    result = events[-1]["result"]
    assert result["task"] == "regress"
    rows = {row["method"]: row for row in result["rows"]}
    assert set(rows) == {"euclidean", "rf", "constant"}
    assert rows["constant"]["error"] == pytest.approx(100, abs=5)
    assert rows["euclidean"]["scores"]["r2"] > 0.6
    assert {"mae", "rmse", "pinball", "coverage_90"} <= set(rows["euclidean"]["scores"])
    assert "<title>" in client.get("/view/comparison.html").text


def test_numbers_may_be_classes_if_the_user_says_so(client, warm):
    text = "x,grade\n" + "\n".join(f"{i * 0.5},{1.0 + 0.5 * (i % 2)}" for i in range(40))
    said = client.post("/api/table", params={"name": "grades.csv"}, content=text.encode()).json()
    assert (said["target"], said["task"]) == ("grade", "regress")
    assert any("“classes” takes them for classes" in note for note in said["notes"])
    said = client.post("/api/columns", json={"target": "grade", "task": "classify"}).json()
    assert (said["task"], said["n_classes"], said["targets"]) == ("classify", 2, None)
    assert said["choices"]["task"] == "classify"


def test_a_word_among_numbers_is_named_and_may_be_a_gap(client, houses_csv, warm):
    broken = houses_csv.replace(b"\n", b"\n50;hills;kaputt\n", 1)
    said = client.post("/api/table", params={"name": "houses.csv"}, content=broken).json()
    assert said["target"] == "town"  # a guess among columns that are as they should be
    said = client.post("/api/columns", json={"target": "price"}).json()
    assert "row 1 (line 2), column 'price': 'kaputt' is no number" in said["problem"]
    assert "“Words for gaps” kaputt takes it for a gap" in said["problem"]
    reading = {"missing": "kaputt, leer"}
    said = client.post("/api/columns", json={"target": "price", "reading": reading}).json()
    assert (said["problem"], said["task"], said["targets"]["n"]) == (None, "regress", 79)


@pytest.mark.slow
def test_a_comparison(loaded):
    loaded.post("/api/columns", json={"target": "kind", "uses": {"field": "drop"}})  # it says nothing of the class
    settings = {"methods": ["euclidean", "nca"], "folds": 2, "repeats": 1}
    events = events_of(loaded, loaded.post("/api/compare", json=settings).json())
    assert events[-1]["type"] == "done", events[-1]
    rows = {row["method"]: row for row in events[-1]["result"]["rows"]}
    assert set(rows) == {"euclidean", "nca", "constant"}
    assert rows["constant"]["error"] == pytest.approx(200 / 3, abs=0.1)
    assert rows["euclidean"]["error"] < 40
    assert [event["done"] for event in events[:-1]] == list(range(1, 7))
    assert "<title>" in loaded.get("/view/comparison.html").text


def test_a_running_fit_is_cancelled_at_once(loaded, session):
    loaded.post("/api/fit", json={"method": "free-energy"})
    process = session.job.process
    answer = loaded.post("/api/fit", json={})
    assert answer.status_code == 422
    assert "running already" in answer.json()["error"]
    start = time.monotonic()
    loaded.post("/api/cancel", json={})
    assert time.monotonic() - start < 2
    assert not process.is_alive()
    assert events_of(loaded, {"number": session.job.number})[-1] == {"type": "cancelled"}
    assert loaded.get("/download/model.fm").status_code == 422
    assert loaded.get("/api/state").json()["job"] is None


def test_a_broken_file_is_one_line_and_leaves_the_table(loaded):
    before = loaded.get("/api/state").json()
    for name, content in {"a.csv": b"x,y\n1,2\n1,2,3\n", "b.xlsx": b"no zip", "c.exe": b"MZ", "d.csv": b""}.items():
        answer = loaded.post("/api/table", params={"name": name}, content=content)
        assert answer.status_code == 422, name
        error = answer.json()["error"]
        assert error.startswith(name)
        assert error.isprintable()
    assert loaded.get("/api/state").json() == before


def test_a_problem_of_the_choice_is_reported_and_no_fit_begins(loaded):
    said = loaded.post("/api/columns", json={"target": "kind", "task": "regress"}).json()
    assert said["problem"].endswith("is no number to predict; names are classes")
    assert loaded.post("/api/fit", json={}).json()["error"] == said["problem"]
    assert loaded.post("/api/columns", json={"uses": {"length": "eval"}}).status_code == 422
    assert loaded.post("/api/columns", json={"target": "kind", "uses": {"nobody": "drop"}}).status_code == 200


def test_a_file_that_is_too_large_is_one_line(client, session):
    def endless():
        for _ in range(40):
            yield b"x" * 100_000

    for content in (b"x" * (2 << 20), endless()):
        answer = client.post("/api/table", params={"name": "big.csv"}, content=content)
        assert answer.status_code == 422
        assert answer.json()["error"] == "the file is larger than 1 MB; `freemetric serve --upload N` takes more"
    assert files(session) == []


def test_hostile_names_are_shown_and_stored_elsewhere(client, csv, session, warm):
    for name in ("../../evil.csv", "<script>alert(1)</script>.csv", "a\0b.csv", "x" * 3000 + ".csv"):
        said = client.post("/api/table", params={"name": name}, content=csv)
        assert said.status_code == 200, name
        assert said.json()["name"].isprintable()
    assert files(session) == ["table.csv"]
    assert oct(session.folder.stat().st_mode)[-3:] == "700"


def test_the_limit_of_time_is_kept(csv, tmp_path, warm):
    path = tmp_path / "table.csv"
    path.write_bytes(csv)
    request = {"path": str(path), "name": "t.csv", "choices": {"target": "kind"}, "folder": str(tmp_path)}
    settings = {"method": "free-energy", "quick": False, "seed": 0, "jobs": None}
    job = ServerJob(1, "fit", {**request, "settings": settings}, Bounds(seconds=0.2))
    assert job.ended.wait(10)
    assert json.loads(job.last) == {"type": "failed", "text": "stopped after 0.2 s, which is the limit"}
    assert not job.process.is_alive()


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is limited on Linux alone")
def test_the_limit_of_memory_is_kept(tmp_path, warm):
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,class\n" + b"12345678,x\n" * 2_000_000)
    job = ServerJob(1, "describe", {"path": str(path), "name": "t.csv", "choices": {}}, Bounds(60, megabytes=60))
    assert job.ended.wait(60)
    assert json.loads(job.last)["text"] == "needs more than the limit of 60 MB"


def test_examples(client, warm):
    said = client.post("/api/example", json={"name": "iris"}).json()
    assert (said["n_rows"], said["target"], said["n_classes"]) == (150, "class", 3)
    said = client.post("/api/example", json={"name": "diabetes"}).json()
    assert (said["n_rows"], said["target"], said["task"]) == (442, "progression", "regress")
    assert said["targets"]["lowest"] == 25
    assert client.post("/api/example", json={"name": "../x"}).status_code == 422


def test_quit_ends_the_server():
    asked = []
    session = Session(Bounds())
    guard = Guard(application(session, 1, lambda: asked.append(True)), PORT)
    client = TestClient(guard, HERE, headers=bearer(guard.token))
    assert client.post("/api/quit", json={}).status_code == 200
    assert asked == [True]
    session.close()


def test_a_new_file_is_predicted(loaded, session, flowers, tmp_path):
    new = flowers.drop(columns="id").assign(more="x")
    new.loc[new.index[:5], "length"] = None
    content = new.to_csv(index=False, sep=";", decimal=",").encode()
    refused = loaded.post("/api/predict", params={"name": "new.csv"}, content=content)
    assert (refused.status_code, refused.json()["error"]) == (422, "there is no such file yet")
    events_of(loaded, loaded.post("/api/fit", json={"method": "euclidean"}).json())
    found = loaded.post("/api/predict", params={"name": "new.csv"}, content=content).json()
    assert (found["name"], found["n_rows"], found["n_columns"]) == ("new.csv", 60, 5)
    assert {column["name"]: column["use"] for column in found["columns"]} == {
        "length": "used",
        "width": "used",
        "field": "used",
        "kind": "the target: predictions are scored by it",
        "more": "ignored: no column of the training table",
    }
    assert [column["missing"] for column in found["columns"]] == [5, 0, 1, 0, 0]
    assert any("read with decimal ','" in note for note in found["notes"])
    assert "new.csv: columns ignored: 'more'" in found["notes"]

    download = loaded.get("/download/predictions.csv")
    assert download.headers["content-disposition"] == 'attachment; filename="flowers-predictions.csv"'
    written = pd.read_csv(io.BytesIO(download.content))
    assert list(written.columns)[:6] == [*new.columns, "prediction"]
    assert found["scores"]["accuracy"] == pytest.approx((written["prediction"] == written["kind"]).mean())
    assert found["predictions"]["names"] == list(written.columns)[5:]
    assert [row[0] for row in found["predictions"]["rows"]] == written["prediction"].tolist()[:20]

    short = new.drop(columns="width").to_csv(index=False).encode()
    broken = loaded.post("/api/predict", params={"name": "short.csv"}, content=short)
    assert (broken.status_code, broken.json()["error"]) == (
        422,
        "short.csv: no column 'width', which the model needs",
    )
    assert loaded.get("/download/predictions.csv").content == download.content  # stays
    loaded.post("/api/table", params={"name": "other.csv"}, content=content)
    assert loaded.get("/download/predictions.csv").status_code == 422
    assert files(session) == ["table.csv"]


@pytest.mark.slow
def test_a_new_file_without_names_gets_numbers_and_intervals(client, houses, warm):
    content = houses.to_csv(index=False, header=False, sep=";").encode()
    client.post("/api/table", params={"name": "houses.csv"}, content=content)
    said = client.post("/api/columns", json={"target": "column_3", "reading": {"header": "no"}}).json()
    assert (said["names"], said["task"]) == (["column_1", "column_2", "column_3"], "regress")
    events_of(client, client.post("/api/fit", json={"quick": True}).json())
    found = client.post("/api/predict", params={"name": "houses.csv"}, content=content).json()
    assert found["predictions"]["names"] == ["prediction", "lower 90 %", "upper 90 %", "p-value of novelty"]
    of_fit = [row[3] == "1" for row in found["predictions"]["rows"]]
    assert of_fit == [number != 5 for number in range(20)]  # row 5 has no price to learn
    assert found["scores"]["r2"] > 0.9
