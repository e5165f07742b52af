"""Mutants of model files and tables, by the fuzzer of the tests: refused in one line, or read and asked."""

import itertools
import random
import tempfile
from collections import Counter
from pathlib import Path

from tests.fuzz.targets import CORPUS, attempt, source, use

from .apart import Row, lines_apart

TRIED = {"model files": 4000, "tables": 2000}
AT_ONCE = 20  # in a process


def rows(rng: random.Random) -> list[Row]:
    """A row of the files with right checksums over wrong parts, and one of the tables."""
    for path in CORPUS.iterdir():
        use(path)  # compiled and imported once, not by every process
    with tempfile.TemporaryDirectory() as folder:
        return [row(name, times, Path(folder)) for name, times in TRIED.items()]


def row(name: str, times: int, folder: Path) -> Row:
    """The first seeds whose file is of this kind."""
    made = Row(f"mutants of {name}", times, "one line, or an object that answers or fails in Python; never below it")
    seeds = list(itertools.islice(seeds_of(name == "model files"), times))
    counts: Counter[str] = Counter()
    for first in range(0, times, AT_ONCE):
        said = tried(seeds[first : first + AT_ONCE], folder)
        counts.update(line for line in said if not line.startswith("died"))
        made.broken += [line for line in said if line.startswith("died")]
    made.measured = ", ".join(f"{number:,} {outcome}" for outcome, number in counts.most_common())
    return made


def seeds_of(models: bool):
    """Numbers whose mutant is of a model, or of a table."""
    return (seed for seed in itertools.count() if (source(random.Random(seed)).suffix == ".model") == models)


def tried(seeds: list[int], folder: Path) -> list[str]:
    """What became of each, with the seed of what died."""
    said = lines_apart(lambda seed: attempt(seed, folder / "current"), seeds)
    return [f"{line} (seed {seed})" * line.startswith("died") or line for seed, line in zip(seeds, said, strict=True)]
