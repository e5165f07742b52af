"""Edited model files: refused in one line, or loaded and used; never a crash."""

from tests.files.examples import fitted
from tests.fuzz.test_model_files import EXAMPLES, attack

from .apart import Row, lines_apart

SEEDS = 100
FILES = 40  # of a seed


def rows(rng):
    """Return one row."""
    wanted = "one line, or a model that answers or fails in Python"
    row = Row("edited model files", SEEDS * FILES, wanted)
    for name in EXAMPLES:
        model, samples = fitted(name)  # compiled once, not by every process
        getattr(model, "predict", getattr(model, "transform", None))(samples)
    seeds = [rng.randrange(10**9) for _ in range(SEEDS)]
    n_loaded = 0
    for first in range(0, SEEDS, 10):
        part = seeds[first : first + 10]
        lines = lines_apart(lambda seed: str(attack(seed, FILES)), part)
        for seed, line in zip(part, lines, strict=True):
            if line.isdigit():
                n_loaded += int(line)
            else:
                row.broken.append(f"seed {seed}: {line}")
    row.measured = f"{n_loaded:,} could be loaded"
    return [row]
