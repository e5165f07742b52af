"""Size and time of installs: freemetric beside libraries of the same tasks.

    python benchmarks/speed/installs.py
    python benchmarks/speed/installs.py numpy freemetric     # these alone

Every package goes into an empty folder with all that it needs, from the index that pip
is configured for; what pip has in its cache is not fetched again. ``freemetric`` is
this checkout. Seconds are those of the clock, of the processor, and of an import in a
process of its own, with bytecode, above those of numpy in the same folder.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from command import ROOT, print_table

PACKAGES = {
    "freemetric": str(ROOT),
    "metric_learn": "metric-learn",
    "lightgbm": "lightgbm scikit-learn",
    "xgboost": "xgboost scikit-learn",
    "catboost": "catboost scikit-learn",
}


def seconds_of(words, folder=""):
    """Return seconds of the clock and of the processor of a command."""
    start, before = time.perf_counter(), os.times()
    environment = {**os.environ, "PYTHONPATH": folder}
    subprocess.run(words, check=True, env=environment, capture_output=True)
    cpu = sum(os.times()[2:4]) - sum(before[2:4])
    return time.perf_counter() - start, cpu


def measured(name):
    """Return the row of a package, installed into a folder that goes again."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", folder]
        clock, cpu = seconds_of([*pip, *PACKAGES.get(name, name).split()])
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files if path.suffix != ".pyc") / 1e6
        imports = []
        for module in ("numpy", name):
            command = [sys.executable, "-c", f"import {module}"]
            imports.append(min(seconds_of(command, folder)[1] for _ in range(3)))
    row = [f"{number:.0f}" for number in (size, clock, cpu)]
    return [name, *row, f"{imports[1] - imports[0]:.2f}"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    rows = [measured(name) for name in parser.parse_args().packages]
    print_table(["package", "MB", "seconds", "of CPU", "import above numpy's"], rows)
