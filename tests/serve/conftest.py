import json
import threading
import warnings

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer releases would rather have another client
    from starlette.testclient import TestClient

from freemetric.serve import Options, Server
from freemetric.serve.app import LINKS, application
from freemetric.serve.jobs import Bounds, warm_up
from freemetric.serve.server import Guard
from freemetric.serve.session import Session

PORT = 8765
HERE = f"http://127.0.0.1:{PORT}"


def bearer(word):
    """The header with which the page asks."""
    return {"authorization": f"Bearer {word}"}


@pytest.fixture(scope="session")
def flowers():
    """60 rows of two measurements, a name, a gap and a key; two of three classes are easy to tell apart."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    x = np.array([[0, 0], [3, 0], [3.5, 1.0]])[y] + 0.7 * rng.normal(size=(60, 2))
    frame = pd.DataFrame(x.round(2), columns=["length", "width"])
    frame.insert(0, "id", np.arange(1, 61))
    frame["field"] = rng.choice(["north", "south"], 60)
    frame.loc[3, "field"] = None
    frame["kind"] = np.array(["red", "white", "blue"])[y]
    return frame.sample(frac=1, random_state=1)


@pytest.fixture(scope="session")
def csv(flowers):
    return flowers.to_csv(index=False).encode()


@pytest.fixture(scope="session")
def houses():
    """80 rows: a price with decimal commas that follows size and town, one of them missing."""
    rng = np.random.default_rng(0)
    size, far = rng.uniform(40, 160, 80).round(1), rng.choice(["harbour", "hills"], 80)
    price = 3 * size + 90 * (far == "harbour") + rng.normal(0, 8, 80)
    frame = pd.DataFrame({"size": size, "town": far, "price": [f"{x:.2f}".replace(".", ",") for x in price]})
    frame.loc[5, "price"] = None
    return frame


@pytest.fixture(scope="session")
def houses_csv(houses):
    return houses.to_csv(index=False, sep=";").encode()


@pytest.fixture(scope="session")
def warm():
    warm_up()


@pytest.fixture
def session():
    made = Session(Bounds(seconds=200))
    yield made
    made.close()
    assert not made.folder.exists()


@pytest.fixture
def guard(session):
    return Guard(application(session, 1 << 20, lambda: None), PORT, LINKS)


@pytest.fixture
def client(guard):
    return TestClient(guard, HERE, headers=bearer(guard.token))


@pytest.fixture
def loaded(client, csv, warm):
    """A client whose server has a table."""
    answer = client.post("/api/table", params={"name": "flowers.csv"}, content=csv)
    assert answer.status_code == 200
    return client


@pytest.fixture
def server():
    """A real one, which leaves nothing behind."""
    made = Server(Options(port=0, upload=1))
    thread = threading.Thread(target=made.run)
    thread.start()
    yield made
    made.stop()
    thread.join(20)
    assert not thread.is_alive()
    assert not made.session.folder.exists()


def files(session):
    """Names of what a session keeps: its tables, and what was made of them."""
    return sorted(path.name for path in session.folder.glob("*/*"))


def events_of(client, job):
    """All events of a job, up to its end."""
    text = client.get(f"/api/jobs/{job['number']}/events").text
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]
