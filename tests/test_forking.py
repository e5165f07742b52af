"""Children forked from a process that has fitted: they predict and fit as it does, and none waits for lost threads.

All of this is slow; the column "forks" of tests/usual is the part that always runs.
"""

import os
import subprocess
import sys

import pytest

BEGIN = """
import multiprocessing, os, sys, warnings
import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.neighbors import NearestNeighbors
from freemetric import DMLMJ, LMNN, MetricKNeighborsClassifier
warnings.simplefilter("ignore")  # that a process with threads forks
X = np.random.default_rng(0).normal(size=(600, 20))
y = (X[:, 0] > 0).astype(int)
def fitted():
    return MetricKNeighborsClassifier(LMNN(max_iter=3), 3).fit(X, y)
def answers(model):
    near = NearestNeighbors(algorithm="brute").fit(X).kneighbors(X[:300], return_distance=False)
    boosted = HistGradientBoostingClassifier(max_iter=2).fit(X, y)
    return model.predict(X[:300]).sum() + near.sum() + boosted.predict(X).sum() + DMLMJ().fit(X, y).transform(X).sum()
def whole(_):
    return answers(model) + answers(fitted())
"""
WAYS = {
    "parent first": """
model = fitted()
expected = whole(0)
if os.fork() == 0:
    os._exit(0 if np.isclose(whole(0), expected) else 3)
assert os.wait()[1] == 0
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert np.allclose(pool.map(whole, range(2)), expected)
found = Parallel(2, backend="multiprocessing")(delayed(answers)(model) for _ in range(2))
assert np.allclose(found, answers(model))
# as a server does it: workers answer while the parent goes on, and others take their place
for _ in range(2):
    workers = []
    for _ in range(2):
        workers.append(os.fork())
        if workers[-1] == 0:
            os._exit(0 if np.isclose(answers(model), found[0]) else 3)
    assert np.isclose(answers(model), found[0])
    assert [os.waitpid(worker, 0)[1] for worker in workers] == [0, 0]
""",
    # a worker fits, and what it has sent predicts in the parent and in a grandchild
    "child first": """
ours, theirs = multiprocessing.get_context("fork").Pipe()
def work():
    model = fitted()
    theirs.send((model, answers(model)))
worker = multiprocessing.get_context("fork").Process(target=work)
worker.start()
model, expected = ours.recv()
worker.join()
assert worker.exitcode == 0
assert np.isclose(answers(model), expected)
if os.fork() == 0:
    os._exit(0 if np.isclose(answers(model), expected) else 3)
assert os.wait()[1] == 0
""",
}


MOST = 250  # seconds on a busy machine; those that wait for lost threads wait for ever


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("way", WAYS)
def test_children_that_compute(way):
    done = subprocess.run([sys.executable, "-c", BEGIN + WAYS[way]], capture_output=True, text=True, timeout=MOST)
    assert done.returncode == 0, done.stderr[-500:]


THREADS = """
import os
from threadpoolctl import threadpool_info, threadpool_limits
from sklearn.neighbors import NearestNeighbors
from freemetric import forking
def threads():
    return min(lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "openmp")
threadpool_limits(4, user_api="openmp")
def in_child():
    child = os.fork()
    if child == 0:
        os._exit(threads())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(in_child(), threads())
forking.let_children_have_threads()
print(in_child(), threads())
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_only_children_are_limited():
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=MOST)
    assert done.stdout.splitlines() == ["1 4", "4 4"], done.stderr[-500:]
