"""What freemetric survives: ``make survive`` tries it and prints the table of docs/guide/survives.md.

The record is out/survive.json. Exit code 1 where something broke. A file of survival/ makes one or some rows.
"""

import argparse
import json
import platform
import random
import sys
import time
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the tests have the fuzzer, and programs that are tried
PARTS = ("kills", "mutants", "hostile", "large", "tested", "pythons")


def survived(part: str, seed: int) -> list:
    """The rows of a part, said as they are done."""
    started = time.monotonic()
    rows = import_module(f"survival.{part}").rows(random.Random(seed))
    print(f"{part}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    for line in (line for row in rows for line in row.broken):
        print(f"  {line}", file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Try all parts or some, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "survive.json")
    given = parser.parse_args()
    rows = [row for part in given.only for row in survived(part, given.seed)]
    given.out.parent.mkdir(parents=True, exist_ok=True)
    record = {"python": platform.python_version(), "system": platform.platform(), "rows": [asdict(row) for row in rows]}
    given.out.write_text(json.dumps(record, indent=1))
    print(import_module("survival.apart").HEAD, *(row.markdown for row in rows), sep="\n")
    sys.exit(any(row.broken for row in rows))


if __name__ == "__main__":
    main()
