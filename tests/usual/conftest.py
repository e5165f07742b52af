"""What became of the cells: a wheel of this checkout is built and installed once, and each column has its process."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from freemetric.bench.runner import claim

from .matrix import BACKENDS, CELLS, COLUMNS, Cell

ROOT = Path(__file__).parents[2]
AT_A_TIME = 2  # columns
PATIENCE = 500  # seconds for one column where the machine is busy and kernels are to be compiled


@pytest.fixture(scope="session")
def outcomes(request, tmp_path_factory):
    """A dict of what cells gave, and of the places of freemetric by column; one worker of pytest-xdist does it."""
    items = (getattr(item, "callspec", None) for item in request.session.items)
    wanted = {call.params["cell"] for call in items if call and "cell" in call.params}
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which all workers share
    kept = folder / "usual" / "outcomes.json"
    while not kept.exists():
        with claim(kept) as ours:
            if ours and not kept.exists():
                found = _outcomes(wanted, install(kept.parent))
                draft = kept.with_suffix(".draft")
                draft.write_text(json.dumps(found))
                draft.rename(kept)
        time.sleep(0.2)
    found = json.loads(kept.read_text())
    return {"places": found["places"], "site": found["site"], "died": found["died"]} | {
        Cell(*row["cell"]): row for row in found["rows"]
    }


def install(folder: Path, checkout: Path = ROOT) -> Path:
    """Build a wheel of a checkout and unpack it, with what is compiled there already; pip would take seconds more."""
    wheels, site = folder / "wheels", folder / "site"
    build = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        "wheel",
        "--directory",
        wheels,
    ]
    subprocess.run(build, check=True, cwd=checkout, capture_output=True)
    shutil.unpack_archive(next(wheels.glob("*.whl")), site, "zip")
    _share_compiled(checkout / "src", site)
    return site


def _share_compiled(source, site):
    """Give the installed package the compiled functions of the source, which is the same; some numbas ask for times."""
    for compiled in (*source.rglob("*.nb[ic]"), *source.rglob("*.pyc")):
        copy = site / compiled.relative_to(source)
        if (
            copy.parent.parent.exists()
        ):  # the folder of a package that is no more leaves what was compiled
            copy.parent.mkdir(exist_ok=True)
            shutil.copy2(compiled, copy)
    for module in source.rglob("*.py"):
        shutil.copystat(module, site / module.relative_to(source))


def _outcomes(wanted: Iterable[Cell], site: Path) -> dict:
    columns = {
        column: [cell for cell in CELLS if cell.column == column and cell in wanted]
        for column in COLUMNS
    }
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        lines = dict(
            zip(
                columns,
                pool.map(lambda column: run(column, columns[column], site), columns),
                strict=True,
            )
        )
    records = [json.loads(line) for column in columns for line in lines[column][0]]
    places = {
        column: json.loads(found[0][0])["places"]
        for column, found in lines.items()
        if found[0]
    }
    return {
        "site": str(site),
        "places": places,
        "died": {column: found[1] for column, found in lines.items()},
        "rows": [row for row in records if "cell" in row],
    }


def run(column: str, cells: list[Cell], site: Path) -> tuple[list[str], str]:
    """Lines of JSON of a column's process, and how it ended."""
    if not cells:
        return [], ""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}
    environment.pop("SCIPY_ARRAY_API", None)  # of conftest.py; users have none
    if column in BACKENDS:
        # small matrices need no threads, which would wait for each other on a busy machine
        environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    output, errors = site.parent / f"{column}.jsonl", site.parent / f"{column}.err"
    with output.open("w") as out, errors.open("w") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.usual.run", column],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            env=environment,
            cwd=site.parent,
            text=True,
        )
        try:
            process.communicate(json.dumps(cells), timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return (
        output.read_text().splitlines(),
        f"exit code {process.returncode}: {errors.read_text()[-2000:]}",
    )
