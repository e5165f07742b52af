"""What strangers' files are given to, and what it may say of them."""

import contextlib
import random
import warnings
from pathlib import Path

import numpy as np

import freemetric
from freemetric.exceptions import ModelFileError
from freemetric.tabular import InputError, read

from .mutations import altered_model, damaged

CORPUS = Path(__file__).parent / "corpus"
ROWS = np.array([[0.0, 5.0, 0.5], [3.0, 1.0, -1.0], [1e9, -1.0, np.inf], [np.nan, 2.0, 0.0]])


def read_table(path):
    """A table, or one line."""
    try:
        read(path)
    except InputError as problem:
        return _check_line(problem)
    return "read"


def load_model(path):
    """A model, or one line; what can be loaded may fail in Python when it is asked, never below it."""
    try:
        model = freemetric.load(path)
    except ModelFileError as problem:
        return _check_line(problem)
    outcome = "loaded and failed in Python"
    for rows in (ROWS[:2, :2], ROWS[:, :3]):
        with contextlib.suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            (model.predict if hasattr(model, "predict") else model.transform)(rows)
            outcome = "loaded and answered"
    return outcome


def _check_line(problem):
    assert str(problem).isprintable(), problem
    assert len(str(problem)) < 3000, problem
    return "refused"


def attempt(seed, path):
    """One mutated file of the corpus, written to ``path`` with its ending, and read; what became of it."""
    rng = random.Random(seed)
    original = source(rng)
    is_model = target(original.suffix) is load_model
    mutate = altered_model if is_model and rng.random() < 0.9 else damaged
    path = path.with_suffix(original.suffix)
    path.write_bytes(mutate(rng, original.read_bytes()))
    return use(path)


def source(rng):
    """The file of the corpus that a seed mutates: a model half of the time."""
    is_model = rng.random() < 0.5
    return rng.choice([path for path in sorted(CORPUS.iterdir()) if (path.suffix == ".model") == is_model])


def target(suffix):
    """What a file of such an ending is given to."""
    return load_model if suffix == ".model" else read_table


def use(path):
    """Read a file as what its ending says, and say what came of it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return target(path.suffix)(path)
