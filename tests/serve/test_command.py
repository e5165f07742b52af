"""``freemetric serve`` as a command: it says where it is, ends at once, and leaves nothing behind."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from freemetric.cli import app

from .conftest import bearer

TABLES = "*/*/table.csv"


@pytest.fixture
def start(tmp_path):
    """Start the command; its folder of temporary files is ``tmp_path``."""
    running = []

    def begin(*words, before=()):
        command = [*before, sys.executable, "-m", "freemetric", "serve", "--no-browser", *words]
        environment = {**os.environ, "TMPDIR": str(tmp_path), "COLUMNS": "200"}
        made = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
        )
        running.append(made)
        return made

    yield begin
    for process in running:
        process.kill()
        process.communicate()


def folders(path):
    return list(Path(path).glob("freemetric-*"))


def ended(process, sign):
    """Seconds until it has ended, its exit code, and what it said."""
    begin = time.monotonic()
    process.send_signal(sign)
    _, said = process.communicate(timeout=20)
    return time.monotonic() - begin, process.returncode, said


def visitor(process):
    """A client that has opened the address which the command printed."""
    base, _, token = process.stdout.readline().strip().partition("/#token=")
    return httpx.Client(base_url=base, headers=bearer(token), timeout=60)


@contextmanager
def begun_upload(client):
    """A connection on which a part of a file has been sent."""
    with client, socket.create_connection((client.base_url.host, client.base_url.port)) as connection:
        head = f"POST /api/table?name=a.csv HTTP/1.1\r\nHost: {client.base_url.netloc.decode()}\r\nContent-Length: 1000"
        connection.sendall(f"{head}\r\nAuthorization: {client.headers['authorization']}\r\n\r\nx,class\n1,".encode())
        yield


def wait_for_tables(path, n):
    end = time.monotonic() + 60
    while len(list(path.glob(TABLES))) < n:
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.slow
def test_it_answers_and_ends_at_once(start, tmp_path):
    process = start()
    with visitor(process) as client:
        assert client.get("/api/state").status_code == 200
        assert client.get("/api/state", headers=bearer("x")).status_code == 403
    assert len(folders(tmp_path)) == 1
    seconds, code, said = ended(process, signal.SIGINT)
    assert seconds < 15  # it takes a moment, but who knows who else is busy
    assert (code, said) == (130, "")
    assert folders(tmp_path) == []


@pytest.mark.slow
def test_what_was_uploaded_goes_with_the_terminal_and_at_the_next_start(start, tmp_path):
    """SIGHUP clears up; SIGKILL cannot, but the next server does, and leaves alone one that lives."""
    killed, closed = start(), start()
    with begun_upload(visitor(killed)), begun_upload(visitor(closed)):
        wait_for_tables(tmp_path, 2)
        ended(killed, signal.SIGKILL)
        assert len(list(tmp_path.glob(TABLES))) == 2
        following = start()
        visitor(following).close()
        (left,) = tmp_path.glob(TABLES)
        assert len(folders(tmp_path)) == 2
        assert ended(closed, signal.SIGHUP)[1:] == (128 + signal.SIGHUP, "")
    assert not left.exists()
    assert ended(following, signal.SIGTERM)[1:] == (128 + signal.SIGTERM, "")
    assert folders(tmp_path) == []


@pytest.mark.slow
def test_nohup_is_heeded(start):
    process = start(before=["nohup"])
    with visitor(process) as client:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert client.get("/api/state").status_code == 200
    assert ended(process, signal.SIGTERM)[1] == 128 + signal.SIGTERM


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_at_once_while_a_fit_runs_and_the_page_watches(start, tmp_path, csv, sign):
    process = start()
    with visitor(process) as client:
        client.post("/api/table", params={"name": "a.csv"}, content=csv)
        job = client.post("/api/fit", json={}).json()
        with client.stream("GET", f"/api/jobs/{job['number']}/events") as events:
            next(events.iter_lines())
            seconds, code, said = ended(process, sign)
    assert seconds < 15  # on a machine that has much else to do
    assert (code, said) == (128 + sign, "")
    assert folders(tmp_path) == []


@pytest.mark.slow
def test_it_listens_on_the_loopback_alone(start):
    process = start()
    port = int(process.stdout.readline().rpartition(":")[2].partition("/")[0])
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others:
        if not address.startswith("127."):
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((address, port), timeout=2).close()


def refused(*words, code=1):
    """The line that the command says where it cannot begin."""
    result = CliRunner().invoke(app, ["serve", "--no-browser", *words])
    assert result.exit_code == code
    (line,) = result.stderr.splitlines()
    return line


def test_no_place_for_temporary_files_is_one_line(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert "/nowhere" in refused(code=2)


def test_a_port_that_is_taken_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused("--port", str(port)).startswith(f"port {port} cannot be had (")


@pytest.mark.parametrize("name", ["starlette", "uvicorn"])
def test_without_the_extra_one_line_says_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    assert refused() == f"This needs {name}: pip install 'freemetric[serve]'."
