"""A quick run tells a change from noise, and is small and readable like all others."""

import pytest

from freemetric.experiments.records import Job, Record

from ..pages import ROOT

quick = pytest.importorskip("quick", reason="benchmarks are not installed")
FOLDER = ROOT / "benchmarks"
TOPICS = ("paper", "classification", "regression", "speed", "scale", "physics")


def records(errors, seconds=1.0):
    jobs = [Job("iris", "rf", repeat) for repeat in range(len(errors))]
    return {
        job: Record(job, honest_error=error, seconds=seconds)
        for job, error in zip(jobs, errors, strict=True)
    }


def test_change_and_its_error():
    before, now = records([10.0, 20.0, 30.0]), records([11.0, 23.0, 32.0], 2.0)
    change, error, ratio = quick.compared(before, now, "error")
    assert change == pytest.approx(2)
    assert error == pytest.approx(1 / 3**0.5)
    assert ratio == 2


def test_targets_of_any_size_count_the_same():
    small, large = (
        Record(Job("fan", "rf"), excess=unit, noise=10 * unit) for unit in (1.0, 1e6)
    )
    assert quick.value_of(small, "excess") == quick.value_of(large, "excess") == 10


@pytest.mark.parametrize(
    ("change", "error", "expected"),
    [(0.05, 0.0, False), (0.2, 0.0, True), (-2.0, 1.0, False), (-2.0, 0.5, True)],
)
def test_what_is_more_than_noise(change, error, expected):
    assert quick.differs(change, error) is expected


@pytest.mark.parametrize("name", quick.COMPARISONS)
def test_every_comparison_has_committed_records(name):
    _, methods, measure = quick.COMPARISONS[name]
    found = quick.committed(name, methods[0])
    if name in ("mixed", "parts") and not found:
        pytest.skip("the tables are not installed")
    assert len(found) > 50 or name == "mixed"
    assert all(quick.value_of(record, measure) is not None for record in found)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_forest_is_as_committed(tmp_path, monkeypatch, capsys):
    words = ["quick.py", "--only", "noise", "--share", "10", "--jobs", "1"]
    monkeypatch.setattr("sys.argv", [*words, "--out", str(tmp_path)])
    comparison = (quick.make_record, ("forest-500",), "excess")
    monkeypatch.setitem(quick.COMPARISONS, "noise", comparison)
    with pytest.raises(SystemExit, match="0"):
        quick.main()
    assert "as committed" in capsys.readouterr().out


@pytest.mark.parametrize("topic", TOPICS)
def test_a_folder_has_one_page_and_short_scripts(topic):
    page = (FOLDER / topic / "README.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 60
    for part in ("**Question.**", "**Command", "**Time.**", "**What it means.**"):
        assert part in page
    for path in (FOLDER / topic).rglob("*.py"):
        assert path.name in page, path.name


def test_benchmarks_are_small():
    lines = {
        path.relative_to(FOLDER): len(path.read_text(encoding="utf-8").splitlines())
        for path in FOLDER.rglob("*.py")
    }
    assert not {path: n for path, n in lines.items() if n > 150}
    assert sum(lines.values()) <= 3500
