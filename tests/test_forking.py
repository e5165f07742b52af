"""A child forked from a process that has fitted can fit: it waits for no lost threads."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import multiprocessing, sys, warnings
import numpy as np
from freemetric.learners import LEARNERS
warnings.simplefilter("ignore")  # that a process with threads forks
X = np.random.default_rng(0).normal(size=(600, 20))
y = (X[:, 0] > 0).astype(int)

def fitted(_):
    return LEARNERS["dmlmj"]().fit(X, y).components_

expected = fitted(0)
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert all(np.allclose(found, expected) for found in pool.map(fitted, range(2)))
"""
SECONDS = 250  # on a busy machine; a child that waits for lost threads waits for ever


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_forked_children_fit():
    run = subprocess.run([sys.executable, "-c", SCRIPT], timeout=SECONDS)
    assert run.returncode == 0
