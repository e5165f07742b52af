"""Random edits of model files: whatever can be loaded fails in Python, not below it."""

import copy
import json
import os
import random
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from freemetric.files import ModelFileError
from freemetric.files.container import unpacked

from ..files.examples import fitted
from ..files.tampering import content_of, loaded, nodes, sealed

EXAMPLES = ["classifier", "regressor", "equal-rows", "many-features", "ratios"]
EXAMPLES += ["metric-knn", "metric-means", "columns", "table-classifier"]
VALUES = [None, True, -1, 0, 1, 3, 10**6, 1e308, "", "full", "scaled", [], {}]
VALUES += [{"tuple": []}, {"float": "nan"}, {"object": ["freemetric.NCA", {}]}]
VALUES += ["<i8", "<f8", "<u8", "<f4", "|b1"]
VALUES += ["freemetric.Quantiles", "sklearn.Pipeline"]
EXPECTED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
OUTSIDE = "index is out of bounds"  # what numba says, where it checks


def edit_tree(rng, tree):
    """Replace, delete or swap random parts of a tree."""
    for _ in range(rng.choice([1, 1, 1, 3])):
        node = rng.choice([node for node in nodes(tree) if node] or [{"": None}])
        places = list(node) if isinstance(node, dict) else range(len(node))
        place, other = rng.choice(places), rng.choice(places)
        action = rng.random()
        if action < 0.1:
            del node[place]
        elif action < 0.3:
            node[place], node[other] = node[other], node[place]
        elif type(node[place]) is int:
            node[place] += rng.choice([-2, -1, 1, 2, 1000])
        else:
            node[place] = copy.deepcopy(rng.choice(VALUES))


def edit_arrays(rng, tree):
    """Change shapes and kinds of arrays, so that their numbers still suffice."""
    arrays = [n["array"] for n in nodes(tree) if isinstance(n, dict) and "array" in n]
    for array in rng.sample(arrays, min(len(arrays), rng.choice([1, 2, 2]))):
        shape = array[1]
        if rng.random() < 0.3:
            array[0] = {"<f8": "<i8", "<i8": "<f8", "<i4": "<f4"}.get(array[0], "<f8")
        elif len(shape) > 1:
            shape[0], shape[-1] = shape[-1], shape[0]
        else:
            shape[0] += rng.choice([-1, 1])
    if len(arrays) > 1:
        one, other = rng.sample(arrays, 2)
        if len(one[1]) == len(other[1]):
            one[1][0] -= 1
            other[1][0] += 1


def edit_numbers(rng, numbers):
    """Overwrite a few of the numbers of all arrays."""
    numbers = bytearray(numbers)
    for _ in range(rng.choice([1, 5, 50])):
        place = 8 * rng.randrange(max(1, len(numbers) // 8))
        value = rng.choice([-1, 0, 1, 10**6, 2**62, rng.getrandbits(62)])
        numbers[place : place + 8] = value.to_bytes(8, "little", signed=True)
    return bytes(numbers)


def attack(seed, n_files):
    """Load and use edited files; return how many could be loaded."""
    rng = random.Random(seed)
    n_loaded = 0
    for number in range(n_files):
        model, samples = fitted(EXAMPLES[number % len(EXAMPLES)])
        header, numbers = unpacked(content_of(model))
        tree, numbers = json.loads(json.dumps(header["model"])), bytes(numbers)
        kind = rng.random()
        if kind < 0.4:
            edit_tree(rng, tree)
        elif kind < 0.7:
            edit_arrays(rng, tree)
        else:
            numbers = edit_numbers(rng, numbers)
        n_loaded += survives(sealed(tree, numbers), samples)
    return n_loaded


def survives(content, samples):
    """Whether a file can be loaded; what it holds may only fail as Python fails."""
    try:
        model = loaded(content)
    except ModelFileError as problem:
        if not str(problem).isprintable() or len(str(problem)) > 400:
            raise
        return False
    try:
        getattr(model, "predict", getattr(model, "transform", None))(samples)
    except EXPECTED as problem:
        if str(problem) == OUTSIDE:
            raise
    return True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(3))
def test_edited_files(seed):
    assert 0 < attack(seed, 60) < 60


@pytest.mark.slow
def test_no_kernel_reads_outside(tmp_path):
    """The same with numba's own checks, in a process that compiles them."""
    program = "from tests.fuzz import test_model_files as own; own.attack_for_long()"
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    environment["NUMBA_CACHE_DIR"] = str(tmp_path)
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env=environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]


def attack_for_long():
    """Many edited files."""
    warnings.simplefilter("ignore")
    assert os.environ["NUMBA_BOUNDSCHECK"] == "1"
    for seed in range(100, 110):
        assert attack(seed, 100) > 0
