"""Every kind of file has its share of the seconds in a process of its own, led by the coverage of our code."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .targets import CORPUS, load_model, target

OUT, KEPT = Path("out/fuzz"), Path("out/fuzz-kept")  # findings, and what reached new lines: the next run begins there
LIMITS = ["-timeout=60", "-rss_limit_mb=4096", "-max_len=100000"]  # seconds an input on a busy machine
OF_MODELS = 0.5  # of the seconds


def parent(seconds):
    """All kinds one after the other; 1 where something was found."""
    kinds = sorted({path.suffix for path in CORPUS.iterdir()})
    before, counts = findings(), []
    for kind in kinds:
        share = OF_MODELS if target(kind) is load_model else (1 - OF_MODELS) / (len(kinds) - 1)
        counts.append(guided(kind, round(seconds * share)))
    found = findings() - before
    print(f"{sum(counts):,} inputs led by coverage in {seconds:g} s, {len(found)} findings", *sorted(found))
    return int(bool(found))


def findings():
    return {str(path) for path in OUT.glob("*")}


def guided(kind, seconds):
    """How many files of a kind were read."""
    folder = KEPT / kind[1:]
    OUT.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    for path in CORPUS.glob(f"*{kind}"):
        shutil.copy(path, folder)
    words = [sys.executable, "-m", "tests.fuzz.guided", kind, str(folder), *LIMITS, f"-max_total_time={seconds}"]
    words += [f"-artifact_prefix={OUT}/{kind[1:]}-", "-print_final_stats=1"]
    with tempfile.TemporaryDirectory() as place:
        surroundings = os.environ | {"TMPDIR": place}
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", env=surroundings, check=False)
    if done.returncode:
        print(done.stderr[-3000:])
    count, lines = last(r"number_of_executed_units: *(\d+)", done.stderr), last(r"cov: (\d+)", done.stderr)
    if count is None:
        sys.exit(f"{kind}: the process ended with {done.returncode} before its first input.")
    print(f"{target(kind).__name__} {kind}: {count:,} inputs, {lines} branches of code seen", flush=True)
    return count


def last(pattern, text):
    """The last number that libFuzzer said so."""
    found = re.findall(pattern, text)
    return int(found[-1]) if found else None
