"""Spoiled files of the other formats: never a traceback, code that runs, half an output, a long or a greedy run."""

import resource
import time

import pytest

from freemetric.tabular import InputError, TableModel, read

from ..formats import as_bytes
from .mutations_of_formats import AT_RANDOM, NEW_AT_RANDOM, spoiled

EUCLIDEAN = ["--method", "euclidean", "--set", "n_neighbors=3"]
SECONDS = 5
MEGABYTES = 500  # on top of what the libraries take


@pytest.fixture(
    scope="module", params=[*AT_RANDOM, *(pytest.param(form, marks=pytest.mark.slow) for form in NEW_AT_RANDOM)]
)
def form(request):
    return request.param


@pytest.fixture(scope="module")
def files(form, people):
    return list(spoiled(as_bytes(people, form), form))


def words(form):
    return EUCLIDEAN if form == "libsvm" else [*EUCLIDEAN, "--target", "class"]


@pytest.fixture(scope="module")
def model(form, people, freemetric, tmp_path_factory):
    folder = tmp_path_factory.mktemp(form)
    (folder / f"people.{form}").write_bytes(as_bytes(people, form))
    assert freemetric("fit", folder / f"people.{form}", *words(form), "-o", folder / "model.fm").code == 0
    return folder / "model.fm"


@pytest.fixture
def attempt(form, freemetric, tmp_path, monkeypatch):
    """Run a command on a spoiled file; its exit code."""
    monkeypatch.chdir(tmp_path)  # where code that ran would leave something
    data, output = tmp_path / f"data.{form}", tmp_path / "output"

    def run(name, content, *command):
        data.write_bytes(content)
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answer = freemetric(*(data if word == "DATA" else word for word in command), "-o", output)
        assert time.perf_counter() - start < SECONDS, name
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1024 * MEGABYTES, name
        assert answer.code in (0, 1, 2), name
        assert output.exists() == (answer.code == 0), name
        assert all(line.isprintable() for line in answer.lines), name
        if answer.code:
            assert answer.out == "", name
            assert len([line for line in answer.lines if not line.startswith("note: ")]) == 1, name
        assert {path.name for path in tmp_path.iterdir()} <= {data.name, output.name}, name
        return answer

    return run


@pytest.mark.slow
def test_fit(form, files, attempt, tmp_path):
    codes = []
    for name, content in files:
        codes.append(attempt(name, content, "fit", "DATA", *words(form)).code)
        if codes[-1] == 0:
            TableModel.load(tmp_path / "output")
            (tmp_path / "output").unlink()
    assert len(codes) > 50
    assert codes.count(0) > 10
    assert codes.count(1) == 0
    assert codes.count(2) > 20


@pytest.mark.slow
def test_predict(form, files, model, attempt, tmp_path):
    codes = []
    for name, content in files:
        codes.append(attempt(name, content, "predict", model, "DATA").code)
        (tmp_path / "output").unlink(missing_ok=True)
    assert codes.count(0) > 10
    assert codes.count(1) == 0
    assert codes.count(2) > 20


@pytest.mark.parametrize("name", NEW_AT_RANDOM)
@pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning")
def test_the_readers_alone(name, people, tmp_path):
    """What the slow tests above ask of whole commands, in short."""
    path, n_read, said = tmp_path / f"data.{name}", 0, []
    for _, content in spoiled(as_bytes(people, name), name):
        path.write_bytes(content)
        try:
            n_read += read(path).n_rows > 0
        except InputError as problem:
            said.append(str(problem))
    assert all(text.startswith(str(path)) and "\n" not in text for text in said)
    assert n_read > 10
    assert len(said) > 15
