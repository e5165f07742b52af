"""What freemetric survives: ``make survive`` tries it and prints a table.

Every file of survival/ gives rows of the table. Exit code 1 where something broke.
"""

import argparse
import random
import sys
import time
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the tests make the edited files
PARTS = ("kills", "edits", "hostile", "large", "tested")


def rows_of(part, seed):
    """Return the rows of a part; seconds and what broke are said as it ends."""
    started = time.monotonic()
    rows = import_module(f"survival.{part}").rows(random.Random(seed))
    print(f"{part}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    for row in rows:
        for line in row.broken:
            print(f"  {line}", file=sys.stderr, flush=True)
    return rows


def main():
    """Try all parts or some, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(import_module("survival.apart").HEAD, flush=True)
    any_broken = False
    for part in options.only:
        for row in rows_of(part, options.seed):
            print(row.markdown(), flush=True)
            any_broken |= bool(row.broken)
    sys.exit(any_broken)


if __name__ == "__main__":
    main()
