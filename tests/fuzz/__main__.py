"""``make fuzz SECONDS=600``: mutated files of the corpus in processes that may die, findings into out/fuzz.

Led by the coverage of our code where atheris is installed; by seeds alone otherwise, or with ``--first SEED``.
"""

import argparse
import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from . import by_coverage
from .by_coverage import OUT
from .targets import CORPUS, attempt, source, target, use

SEEDS_A_PROCESS = 500
MOST_SECONDS_A_PROCESS = 3000  # a process that waits; one that computes is ended by the limit of its input
MOST_SECONDS_AN_INPUT = 20  # of computing
MEMORY = 4 << 30  # bytes of addresses; a file that asks for more is a finding


def child(first, folder):
    """Attempt some seeds; the file of the current one is left behind if the process dies."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for path in CORPUS.iterdir():
        use(path)  # what has to be compiled is
    for seed in range(first, first + SEEDS_A_PROCESS):
        (folder / "seed").write_text(str(seed))
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS_AN_INPUT)  # its signal ends the process
        try:
            attempt(seed, folder / "current")
        except BaseException:
            traceback.print_exc()
            keep(folder, seed)
        for path in folder.glob("current*"):
            path.unlink()


def keep(folder, seed):
    OUT.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("current*"):
        shutil.copy(path, OUT / f"{seed}{path.suffix}")


def parent(seconds, first):
    end, count, found = time.monotonic() + seconds, 0, len(list(OUT.glob("*")))
    while time.monotonic() < end:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            words = [sys.executable, "-m", "tests.fuzz", "--child", name, "--first", str(first + count)]
            try:
                code = subprocess.run(words, timeout=MOST_SECONDS_A_PROCESS, check=False).returncode
            except subprocess.TimeoutExpired:
                code = "no end"
            if not (folder / "seed").exists():
                sys.exit(f"A process ended with {code} before its first input.")
            seed = int((folder / "seed").read_text())
            if code != 0:
                print(f"seed {seed}: the process ended with {code}")
                keep(folder, seed)
            count += SEEDS_A_PROCESS if code == 0 else max(seed + 1 - first - count, 1)
    found = len(list(OUT.glob("*"))) - found
    print(*tried(first, count), sep="\n")
    print(f"{count} inputs from seed {first} on in {seconds:g} s, {found} findings" + (f" in {OUT}" if found else ""))
    return int(found > 0)


def tried(first, count):
    """A line of every kind of file: what it was given to, and how many there were."""
    kinds = Counter(source(random.Random(seed)).suffix for seed in range(first, first + count))
    return [f"{target(kind).__name__} {kind}: {number} inputs" for kind, number in sorted(kinds.items())]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--first", type=int, help="mutants by seeds from this one on")
    parser.add_argument("--child", type=Path)
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if options.child:
        child(options.first, options.child)
    elif options.first is None and importlib.util.find_spec("atheris"):
        sys.exit(by_coverage.parent(options.seconds))
    else:
        sys.exit(parent(options.seconds, options.first or int(time.time()) * 1000))
