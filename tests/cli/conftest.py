import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from freemetric.cli import app


@dataclass
class Answer:
    """What a command said; ``lines`` are those of stderr."""

    code: int
    out: str
    lines: list

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def freemetric():
    """Call the command line, which never lets an exception through."""

    def call(*words, stdin=None):
        result = CliRunner().invoke(app, [str(word) for word in words], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.stderr
        return Answer(result.exit_code, result.stdout, result.stderr.splitlines())

    return call


@pytest.fixture(scope="session")
def people():
    rng = np.random.default_rng(1)
    n = 60
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n).round(6),
            "age": rng.integers(20, 60, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "town": rng.choice(["Rome", "Bonn", ""], n),
        }
    )
    frame["class"] = np.where(frame["size"] + (frame["colour"] == "red") > 0.3, "yes", "no")
    return frame


@pytest.fixture(scope="session")
def home(people, freemetric, tmp_path_factory):
    """A folder with people.csv and a model of it."""
    folder = tmp_path_factory.mktemp("home")
    people.to_csv(folder / "people.csv", index=False)
    words = ["--target", "class", "--method", "euclidean", "--set", "n_neighbors=3", "-o"]
    answer = freemetric("fit", folder / "people.csv", *words, folder / "people.fm")
    assert (answer.code, answer.lines) == (0, [])
    return folder
