"""Committed records of the paper are those that the code of today makes."""

import pytest

from ..data_sets import FOLDER, MISSING

again = pytest.importorskip("again")

EXACT = ("rf", "euclidean", "pca", "rca", "dca", "lfda", "dmlmj")
ITERATED = ("itml", "lmnn", "dml-eig", "scml", "nca", "dmlfe")
SLOW = ("dmlfe-paper", "dmlfe-identity", "dmlfe-small-steps", "dmlfe-algorithm-1")
SPLITS = (("iris", 0, 0), ("iris", 1, 1), ("wine", 2, 1))
POINTS = 3.0
"""How far apart two errors may be where rounding decides a walk or a descent."""


@pytest.fixture(scope="module")
def committed():
    return {
        (job.dataset, job.repeat, job.fold, job.method): record
        for job, record in again.committed_by_job().items()
    }


def pairs(committed, method):
    for split in SPLITS:
        old = committed[(*split, method)]
        yield old, again.make_record(old.job)


@pytest.mark.parametrize("method", EXACT)
def test_closed_forms_are_the_same(committed, method):
    """One test sample may be on the other side, because BLAS rounds otherwise."""
    for old, new in pairs(committed, method):
        sample = 100 / old.shape[0] + 0.01
        assert len(old.errors) == len(new.errors)
        differences = [abs(a - b) for a, b in zip(old.errors, new.errors, strict=True)]
        assert max(differences) <= sample
        assert sum(difference > 0 for difference in differences) <= len(differences) / 5


def assert_close(pairs):
    best = [abs(new.paper_error - old.paper_error) for old, new in pairs]
    honest = [new.honest_error - old.honest_error for old, new in pairs]
    assert max(best) <= POINTS
    assert abs(sum(honest) / len(honest)) <= POINTS


@pytest.mark.parametrize("method", ITERATED)
def test_iterations_end_as_well(committed, method):
    assert_close([*pairs(committed, method)])


@pytest.mark.slow
@pytest.mark.parametrize("method", SLOW)
def test_walks_end_as_well(committed, method):
    assert_close([*pairs(committed, method)])


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_hundredth_of_the_records(tmp_path, monkeypatch, capsys):
    if not (FOLDER / "MANIFEST.json").exists():
        pytest.skip(MISSING)
    words = ["--share", "0.01", "--most-rows", "700", "--run", tmp_path / "again.jsonl"]
    words += ["--folder", FOLDER]
    monkeypatch.setattr("sys.argv", ["again.py", *map(str, words)])
    again.main()
    lines = capsys.readouterr().out.splitlines()[3:]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
    assert len(rows) > 10
    for method, n_fits, same, *_ in rows:
        if method in EXACT:
            assert int(same) >= int(n_fits) - 1
