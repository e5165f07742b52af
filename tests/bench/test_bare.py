"""The runner where little is there: without the libraries of any extra, or without the modules of Unix."""

import subprocess
import sys

import pytest

RUN = """
import sys
from pathlib import Path


class Missing:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in {hidden}:
            raise ModuleNotFoundError(name=name)


sys.meta_path.insert(0, Missing)
for name in {hidden}:
    sys.modules.pop(name, None)
from freemetric.bench.records import read_all
from freemetric.bench.runner import Limits, RunOptions, plan, run

if __name__ == "__main__":
    report = run(plan(["iris"], {methods}, 1), sys.argv[1], RunOptions(limits=Limits(60)))
    records, broken = read_all(Path(sys.argv[1]))
    print(report.fitted, report.problems, broken, [record.failure for record in records])
"""

EXTRAS = ["pandas", "pyarrow", "typer", "rich", "matplotlib", "plotly", "jinja2", "scikit_posthocs", "cma"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hidden", "methods"),
    [
        (EXTRAS, ["euclidean", "nca"]),
        pytest.param(EXTRAS, ["free-energy"], marks=pytest.mark.slow),
        pytest.param(["fcntl", "resource"], ["euclidean"], marks=pytest.mark.slow),
    ],
)
def test_a_run(hidden, methods, tmp_path):
    script = tmp_path / "script.py"  # which every process of a fit reads, too
    script.write_text(RUN.format(hidden=hidden, methods=methods))
    done = subprocess.run([sys.executable, script, tmp_path / "records"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    n_fits = 2 * len(methods)
    assert done.stdout.strip() == f"{n_fits} [] [] {[None] * n_fits}"
    assert not list((tmp_path / "records").rglob(".*"))  # no lock is left
