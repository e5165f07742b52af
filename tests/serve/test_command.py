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

HIDDEN = """
import sys
sys.modules["{name}"] = None
sys.argv[1:] = ["serve"]
from freemetric.cli import main
main()
"""


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


def test_it_answers_and_ends_at_once(start, tmp_path, csv):
    process = start()
    url = process.stdout.readline().strip()
    with httpx.Client(follow_redirects=True, timeout=60) as client:
        assert client.get(url).status_code == 200
        assert client.get(url.partition("?")[0]).status_code == 200
        assert httpx.get(url.partition("?")[0]).status_code == 403
        base = url.partition("/?")[0]
        client.post(f"{base}/api/table", params={"name": "a.csv"}, content=csv)
        job = client.post(f"{base}/api/fit", json={}).json()
        assert len(folders(tmp_path)) == 1
        with client.stream("GET", f"{base}/api/jobs/{job['number']}/events") as events:  # the page is watching
            next(events.iter_lines())
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=20)
    assert time.monotonic() - begin < 5  # it takes a tenth of that, but who knows who else is busy
    assert process.returncode == 130
    assert "Traceback" not in said
    assert folders(tmp_path) == []


@pytest.mark.slow
def test_it_listens_on_the_loopback_alone(start):
    process = start()
    port = int(process.stdout.readline().rpartition(":")[2].partition("/")[0])
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        if not address.startswith("127."):
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((address, port), timeout=2).close()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)


@pytest.mark.slow
def test_a_port_that_is_taken_is_one_line(start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start("--port", str(port))
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.splitlines() == [f"port {port} cannot be had (Address already in use); --port names another"]


@pytest.mark.parametrize("name", ["starlette", pytest.param("uvicorn", marks=pytest.mark.slow)])
def test_without_the_extra_one_line_says_what_to_install(name):
    words = [sys.executable, "-c", HIDDEN.format(name=name)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [f"This needs {name}: pip install 'freemetric[serve]'."]
