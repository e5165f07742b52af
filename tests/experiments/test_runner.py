"""The runner: what is there is kept, what is missing is made, failures are results."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from freemetric.experiments import DatasetError
from freemetric.experiments.methods import CLASSIFIERS
from freemetric.experiments.records import Job, append_record, read_records
from freemetric.experiments.runner import fitted_record, make_record, plan, run

METHODS = ("rca", "rf")


def contents(records):
    """All but the time, which differs between runs."""
    return [(r.job, r.errors, r.honest_k, r.honest_error, r.failure) for r in records]


@pytest.fixture(scope="module")
def jobs():
    return plan(["iris", "wine"], METHODS, 1)


@pytest.fixture(scope="module")
def records(jobs, tmp_path_factory):
    return run(jobs, tmp_path_factory.mktemp("run") / "records.jsonl")


@pytest.mark.slow
def test_a_record_serves_both_protocols(records):
    record = next(r for r in records if r.job == Job("wine", "rca", 0, 1))
    assert len(record.errors) == 40
    assert record.honest_error == record.errors[record.honest_k - 1]
    assert record.paper_error == min(record.errors) <= record.honest_error
    assert record.shape == [89, 13, 3]
    assert record.versions["device"] == "cpu"


def test_what_is_missing_is_made(jobs, records, tmp_path):
    path = tmp_path / "records.jsonl"
    for record in records[:5]:
        append_record(path, record)
    path.write_bytes(path.read_bytes()[:-9])  # a process was killed in its fifth fit
    made = []
    found = run(jobs, path, on_fit=lambda record, done, total: made.append(total))
    assert made == [4] * 4
    assert contents(found) == contents(records)
    assert contents(read_records(path)) == contents(records)
    assert run(jobs, path, on_fit=made.append) == found


@pytest.mark.slow
def test_two_processes_make_the_same(jobs, records, tmp_path):
    found = run(jobs, tmp_path / "records.jsonl", n_jobs=2)
    assert contents(found) == contents(records)


def test_failures_are_kept_unless_repeated(tmp_path, monkeypatch):
    path = tmp_path / "records.jsonl"
    job = Job("iris", "rf")

    class Broken(DummyClassifier):
        def fit(self, X, y):
            raise MemoryError("too large\nfor this machine")

    with monkeypatch.context() as patch:
        patch.setitem(CLASSIFIERS, "rf", lambda seed, device: Broken())
        (record,) = run([job], path)
    assert record.failure == "MemoryError: too large for this machine"
    assert record.paper_error is None
    assert run([job], path)[0].failure == record.failure
    assert run([job], path, retry_failed=True)[0].failure is None


def test_errors_come_before_any_fit(tmp_path):
    path = tmp_path / "records.jsonl"
    for name, method, error, message in (
        ("iriss", "rf", DatasetError, "iriss"),
        ("iris", "mlkr", ValueError, "Unknown method 'mlkr'"),
    ):
        with pytest.raises(error, match=message):
            run([Job("wine", "rf"), Job(name, method)], path)
    with pytest.raises(ValueError, match="compressed"):
        run([], tmp_path / "records.jsonl.gz")
    assert not list(tmp_path.iterdir())


def test_a_committed_split_is_made_again(records):
    """The halves, the scaling and k are those of the committed records."""
    made = make_record(Job("iris", "euclidean", 0, 1))
    assert (made.honest_k, made.honest_error) == (5, 4.0)
    assert made.seconds > 0


def test_a_regression_and_a_synthetic_problem(tmp_path):
    jobs = [Job("diabetes", "constant"), Job("fan-60", "constant")]
    real, synthetic = run(jobs, tmp_path / "records.jsonl")
    assert real.r2 == pytest.approx(0, abs=0.05)
    assert real.shape == [221, 10, 0]
    assert synthetic.excess > 0
    assert synthetic.noise == pytest.approx(0.37, abs=0.02)


def test_one_thread(monkeypatch, records):
    import numba

    numbers = []

    class Counting(DummyClassifier):
        def fit(self, X, y):
            numbers.append(numba.get_num_threads())
            return super().fit(X, y)

    before = numba.get_num_threads()
    part = type("Part", (), {})()
    part.X = part.X_test = np.zeros((4, 1))
    part.y = part.y_test = np.array([0, 1, 1, 1])
    assert fitted_record(Job("own", "own"), Counting(), part).honest_error == 25
    assert numbers == [1]
    assert numba.get_num_threads() == before


BARE = """
import sys

class Missing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in {hidden}:
            raise ModuleNotFoundError(name=name)

sys.meta_path.insert(0, Missing)
from freemetric.experiments.runner import plan, run
if __name__ == "__main__":
    records = run(plan(["iris"], ["euclidean", "nca"], 1), sys.argv[1])
    print([record.failure for record in records])
"""


@pytest.mark.slow
def test_a_run_without_any_extra(tmp_path):
    """A machine with a GPU has numpy, scipy, scikit-learn, numba and joblib alone."""
    hidden = ["pandas", "matplotlib", "scikit_posthocs", "rich", "typer", "plotly"]
    words = [
        sys.executable,
        "-c",
        BARE.format(hidden=hidden),
        str(tmp_path / "r.jsonl"),
    ]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str([None] * 4)
