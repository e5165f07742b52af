import pytest

from ..data_sets import FOLDER, MISSING


@pytest.fixture(autouse=True)
def no_other_folder(monkeypatch):
    monkeypatch.delenv("FREEMETRIC_DATA", raising=False)


@pytest.fixture
def shared():
    if not (FOLDER / "MANIFEST.json").exists():
        pytest.skip(MISSING)
    return FOLDER
