import os
from pathlib import Path

import pytest

from freemetric.datasets import list_datasets
from freemetric.datasets.store import BUILTIN, builtin_table
from freemetric.datasets.table import as_csv

SHARED = Path(os.environ.get("FREEMETRIC_DATA", Path(__file__).parents[3] / "shared" / "data"))
NAMES = list_datasets()


@pytest.fixture(autouse=True)
def cache(tmp_path_factory, monkeypatch):
    """An empty cache folder of the test's own, and no other folder."""
    monkeypatch.delenv("FREEMETRIC_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    return Path(os.environ["XDG_CACHE_HOME"]) / "freemetric"


@pytest.fixture
def shared():
    if not (SHARED / "MANIFEST.json").exists():
        pytest.skip(f"no data sets in {SHARED.name}/: set FREEMETRIC_DATA to their folder")
    return SHARED


@pytest.fixture(scope="session")
def builtin_files():
    return {f"{name}.csv": as_csv(builtin_table(name)) for name in BUILTIN}


@pytest.fixture
def home(tmp_path, builtin_files):
    """A folder with the files of the sets that need none."""
    for name, content in builtin_files.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path
