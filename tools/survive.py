"""What freemetric survives: ``make survive`` tries it and prints a table; docs/howto/deploy.md sums it up.

The record is out/survive.json, written after every part. Parts that it lacks, or that broke, are tried; all parts where
it is whole. Exit code 1 where something broke. A file of survival/ makes one or some rows.
"""

import argparse
import random
import sys
import time
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the tests have the fuzzer, and programs that are tried
PARTS = ("kills", "mutants", "hostile", "large", "tested", "oldest", "pythons")


def survived(part: str, seed: int) -> tuple[list, float]:
    """The rows of a part and its seconds, said as they are done."""
    started = time.monotonic()
    rows = import_module(f"survival.{part}").rows(random.Random(seed))
    seconds = time.monotonic() - started
    print(f"{part}: {seconds:.0f} s", file=sys.stderr, flush=True)
    for line in (line for row in rows for line in row.broken):
        print(f"  {line}", file=sys.stderr, flush=True)
    return rows, seconds


def main() -> None:
    """Try all parts or some, write each as it ends, print what is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, help="try these again, and keep the others as recorded")
    parser.add_argument("--show", action="store_true", help="try nothing, print what is recorded")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "survive.json")
    given = parser.parse_args()
    record = import_module("survival.record").Record(given.out, PARTS)
    for part in () if given.show else given.only or record.to_try():
        record.add(part, *survived(part, given.seed))
    rows = record.table()
    print(import_module("survival.apart").HEAD, *(row.markdown for row in rows), sep="\n")
    sys.exit(any(row.broken for row in rows))


if __name__ == "__main__":
    main()
