"""Several uploads, tabs and fits at once, over real connections: each gets its own answer, and nothing is left over."""

import json
import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.responses import FileResponse

from .conftest import bearer, events_of, files


@pytest.fixture
def client(server, warm):
    with httpx.Client(base_url=server.url.partition("/#")[0], headers=bearer(server.guard.token), timeout=120) as made:
        yield made


def table(i):
    """A small file of which one can tell that it is number i."""
    return "".join(["x,class\n", *(f"{j + i / 100},{'ab'[j % 2]}\n" for j in range(10 + i))]).encode()


def upload(client, i=0):
    return client.post("/api/table", params={"name": f"{i}.csv"}, content=table(i))


@pytest.mark.slow
def test_thirty_uploads_at_once(client, server):
    with ThreadPoolExecutor(30) as pool:
        answers = list(pool.map(lambda i: upload(client, i), range(30)))
    assert [answer.status_code for answer in answers] == [200] * 30
    assert [answer.json()["n_rows"] for answer in answers] == list(range(10, 40))
    left = client.get("/api/state").json()["table"]
    assert left in [answer.json() for answer in answers]
    (kept,) = server.session.folder.glob("*/*")
    assert kept.read_bytes() == table(int(left["name"].removesuffix(".csv")))


def test_what_is_chosen_while_another_table_comes_in(client, server):
    """Reading the old table goes on to its end, and changes nothing about the new one."""
    upload(client)
    session = server.session
    user, old = session.place, session.path
    new = upload(client, 1).json()
    assert old.exists()
    said = client.post("/api/columns", json={"target": "x"})
    assert said.json()["name"] == "1.csv"
    del user
    assert not old.exists()
    assert files(session) == ["table.csv"]
    late = client.post("/api/columns", json={"target": "x", "table": new["number"] - 1})
    assert (late.status_code, late.json()["error"].partition(";")[2]) == (422, " reload the page")


def test_a_choice_for_a_table_that_is_replaced_meanwhile_changes_nothing(client, server, monkeypatch):
    upload(client)
    describe = server.session._described

    def while_another_comes_in(*given):
        monkeypatch.setattr(server.session, "_described", describe)
        upload(client, 1)
        return describe(*given)  # of the old file, which is still there

    monkeypatch.setattr(server.session, "_described", while_another_comes_in)
    late = client.post("/api/columns", json={"target": "x"})
    assert (late.status_code, late.json()["error"]) == (422, "another table has taken its place; reload the page")
    left = client.get("/api/state").json()["table"]
    assert (left["name"], left["target"]) == ("1.csv", "class")


@pytest.mark.slow
def test_another_tab_does_not_fit_what_it_does_not_show(client):
    first = upload(client).json()
    choices = {"target": "class", "uses": {"x": "keep"}}
    second = client.post("/api/columns", json={**choices, "table": first["number"]}).json()
    assert second["number"] == first["number"]
    for kind in ("fit", "compare"):
        late = client.post(f"/api/{kind}", json={"version": first["version"]})
        assert late.status_code == 422
        assert late.json()["error"] == "the table was changed in another tab; reload the page"
        assert client.post(f"/api/{kind}", json={"version": "1"}).status_code == 422
    job = client.post("/api/fit", json={"method": "euclidean", "version": second["version"]}).json()
    assert events_of(client, job)[-1]["type"] == "done"


def test_an_upload_that_breaks_off_leaves_nothing(client, server):
    before = upload(client).json()
    host, port = urlsplit(str(client.base_url)).netloc.split(":")
    with socket.create_connection((host, int(port))) as connection:
        lines = f"POST /api/table?name=a.csv HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 1000\r\n"
        connection.sendall(f"{lines}Authorization: Bearer {server.guard.token}\r\n\r\nx,class\n1,".encode())
        until(lambda: len(files(server.session)) == 2)
    until(lambda: files(server.session) == ["table.csv"])
    assert client.get("/api/state").json()["table"] == before


def test_an_upload_ends_the_fit_that_runs(client, server):
    upload(client)
    job = client.post("/api/fit", json={}).json()
    process = server.session.job.process
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(events_of, client, job)
        broken = client.post("/api/table", params={"name": "b.csv"}, content=b"")
        assert broken.status_code == 422
        assert process.is_alive()
        assert upload(client, 1).status_code == 200
        assert events.result()[-1] == {"type": "cancelled"}
    assert not process.is_alive()
    assert files(server.session) == ["table.csv"]


@pytest.mark.slow
def test_a_download_goes_on_while_its_table_is_replaced(client, server, monkeypatch):
    upload(client)
    job = client.post("/api/fit", json={"method": "euclidean"}).json()
    assert events_of(client, job)[-1]["type"] == "done"
    whole = client.get("/download/report.html").content
    send = FileResponse.__call__

    async def replaced_meanwhile(*given):
        server.session.forget()
        await send(*given)

    with monkeypatch.context() as patched:
        patched.setattr(FileResponse, "__call__", replaced_meanwhile)
        assert client.get("/download/report.html").content == whole
    for path in ("/download/report.html", "/view/report.html", "/api/rows", "/api/rows/1"):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["error"]) == (422, "there is no such file yet"), path
    until(lambda: files(server.session) == [])


def test_reading_a_table_ends_with_the_server(client, server):
    large = b"a,b,class\n" + b"123.45,678.9,x\n567.89,12.3,y\n" * 30_000
    with ThreadPoolExecutor(6) as pool:  # more than are read at once
        for _ in range(6):
            pool.submit(client.post, "/api/table", params={"name": "a.csv"}, content=large)
        until(lambda: server.session.describing)
        reading = list(server.session.describing)
        for job in reading:
            os.kill(job.process.pid, signal.SIGSTOP)  # it does not come to its end by itself
        server.stop()
    assert all(job.ended.wait(20) for job in reading)
    assert "cancelled" in {job.state for job in reading}
    assert not any(job.process.is_alive() for job in reading)


def test_a_full_disk_is_one_line(client, server, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("freemetric.serve.app._save", full)
        answer = upload(client)
    assert (answer.status_code, answer.json()["error"]) == (503, "the system refuses it: No space left on device")
    assert files(server.session) == []
    assert upload(client).status_code == 200


def test_nothing_waits_for_a_body_that_has_none(client, server):
    upload(client)
    job = client.post("/api/fit", json={}).json()
    begin = time.monotonic()
    answer = client.head(f"/api/jobs/{job['number']}/events")
    assert (answer.status_code, answer.content) == (200, b"")
    assert time.monotonic() - begin < 5
    assert server.session.job.state == "running"
    assert client.head("/").headers["content-type"].startswith("text/html")
    assert client.options("/api/state").status_code == 405
    assert client.post("/api/cancel", json={}).status_code == 200


def test_reading_tables_holds_up_nothing_else(client, server, monkeypatch):
    """More tables wait than there are threads for everything else."""
    upload(client)
    with ThreadPoolExecutor(45) as pool, monkeypatch.context() as patched:
        go_on = threading.Event()
        patched.setattr(server.session, "take", lambda *_: {"went on": go_on.wait(60)})
        waiting = [pool.submit(upload, client, i) for i in range(45)]
        until(lambda: len(files(server.session)) > 40)
        begin = time.monotonic()
        assert json.loads(client.get("/api/state").content)["table"]["name"] == "0.csv"
        assert time.monotonic() - begin < 5
        go_on.set()
        assert {future.result().status_code for future in waiting} == {200}


@pytest.mark.slow
def test_a_cancelled_comparison_leaves_nothing(client, server):
    """Each of its processes has a copy of the table in memory, and all of them end at once."""
    large = "a,b,c,class\n" + "".join(f"{i % 97},{i % 89}.5,{i % 83},{'xy'[i % 2]}\n" for i in range(50_000))
    client.post("/api/table", params={"name": "a.csv"}, content=large.encode())
    client.post("/api/compare", json={"methods": ["euclidean"], "folds": 10, "repeats": 5, "jobs": 2})
    job = server.session.job
    until(lambda: job.events, 240)
    assert job.state == "running"
    client.post("/api/cancel", json={})
    assert job.state == "cancelled"
    assert not [path.name for path in Path("/dev/shm").glob(f"*[-_]{job.process.pid}[-_]*")]
    assert upload(client).status_code == 200
    assert files(server.session) == ["table.csv"]


def until(is_so, seconds=20):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)
