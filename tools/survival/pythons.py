"""A first use on every Python that is here, each in a fresh environment."""

import random
import tempfile
from pathlib import Path

from environments import PYTHONS, Environment, interpreters
from release import FIRST_USE, ROOT

from .apart import Row


def rows(rng: random.Random) -> list[Row]:
    """One row; pip takes what is needed from the index that it is configured for."""
    here = {version: path for version, path in interpreters().items() if version in PYTHONS}
    row = Row("Pythons", len(here), "install, fit, save, load", measured=", ".join(sorted(here)))
    for version, python in here.items():
        with tempfile.TemporaryDirectory() as folder:
            fresh = Environment(Path(folder) / "env", python)
            seen = fresh.install(str(ROOT))
            seen = seen if seen.code else fresh.call(["python", "-c", FIRST_USE], Path(folder))
            row.broken += [f"Python {version}: {seen.said}"] * (seen.code != 0)
    return [row]
