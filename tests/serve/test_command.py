"""``freemetric serve`` as a command: it says where it is, ends at once, and leaves nothing behind."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from freemetric.cli import app


@pytest.fixture
def start(tmp_path):
    """Start the command; its folder of temporary files is ``tmp_path``."""
    running = []

    def begin(*words):
        command = [sys.executable, "-m", "freemetric", "serve", "--no-browser", *words]
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


def test_it_answers_and_ends_at_once(start, tmp_path):
    process = start()
    url = process.stdout.readline().strip()
    assert httpx.get(url, follow_redirects=True, timeout=60).status_code == 200
    assert httpx.get(url.partition("?")[0], timeout=60).status_code == 403
    assert len(folders(tmp_path)) == 1
    seconds, code, said = ended(process, signal.SIGINT)
    assert seconds < 15  # it takes a moment, but who knows who else is busy
    assert (code, said) == (130, "")
    assert folders(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(("sign", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_ends_at_once_while_a_fit_runs_and_the_page_watches(start, tmp_path, csv, sign, expected):
    process = start()
    url = process.stdout.readline().strip()
    base = url.partition("/?")[0]
    with httpx.Client(follow_redirects=True, timeout=60) as client:
        client.get(url)
        client.post(f"{base}/api/table", params={"name": "a.csv"}, content=csv)
        job = client.post(f"{base}/api/fit", json={}).json()
        with client.stream("GET", f"{base}/api/jobs/{job['number']}/events") as events:
            next(events.iter_lines())
            seconds, code, said = ended(process, sign)
    assert seconds < 15  # on a machine that has much else to do
    assert (code, said) == (expected, "")
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


def refused(*words):
    """The line that the command says where it cannot begin."""
    result = CliRunner().invoke(app, ["serve", "--no-browser", *words])
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    return line


def test_a_port_that_is_taken_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert refused("--port", str(port)).startswith(f"port {port} cannot be had (")


@pytest.mark.parametrize("name", ["starlette", "uvicorn"])
def test_without_the_extra_one_line_says_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    assert refused() == f"This needs {name}: pip install 'freemetric[serve]'."
