"""A fit that is interrupted at any moment leaves an estimator as it was, and the interrupt reaches the caller."""

import inspect
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import freemetric
from freemetric import (
    LEARNERS,
    LMNN,
    MLKR,
    NCA,
    RCA,
    FreeEnergyClassifier,
    FreeEnergyRegressor,
    FreeEnergySelector,
    Kernelized,
    MetricKNeighborsClassifier,
    MetricKNeighborsRegressor,
    MetricRetriever,
    PairClassifier,
    QuadrupletClassifier,
    Recipe,
    TableClassifier,
    TableRegressor,
    TripletClassifier,
    metric_learn,
)
from freemetric.ensemble import selector
from freemetric.exceptions import callers_stacklevel
from freemetric.learners.fitting import AtomicFit
from freemetric.mc import Annealing

HERE = str(Path(freemetric.__file__).parent)
MOMENTS = (0.0, 0.02, 0.15, 0.5, 0.9, 1.0)  # parts of the calls of a fit
SHORT = Annealing(n_steps=3)
FEW = {
    "n_replicas": 3,
    "recipe": Recipe(candidates=["scaled/diagonal", "scaled/identity"], n_steps=2),
    "random_state": 0,
}

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),  # of so few rows
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.fixture(autouse=True)
def short_walks(monkeypatch):
    """FreeEnergySelector has no parameter for the length of its walks."""
    monkeypatch.setattr(selector, "STEPS", 3)
    monkeypatch.setattr(selector, "MEASURED", 2)


def quick(estimator):
    """With a seed and few iterations, where it has such parameters."""
    wanted = {"random_state": 0, "max_iter": 5, "n_constraints": 20, "n_chunks": 5, "sampler": SHORT}
    known = estimator.get_params(deep=False)
    return estimator.set_params(**{name: value for name, value in wanted.items() if name in known})


ESTIMATORS = {
    **{name: quick(learner()) for name, learner in LEARNERS.items()},
    "mlkr": quick(MLKR()),
    "classifier": FreeEnergyClassifier(**FEW),
    "regressor": FreeEnergyRegressor(**FEW),
    "selector": FreeEnergySelector(n_replicas=1, random_state=0),
    "retriever": MetricRetriever(RCA()),
    "kernelized": Kernelized(RCA(), random_state=0),
    "k-NN": MetricKNeighborsClassifier(RCA(), n_folds=2, random_state=0),
    "k-NN of numbers": MetricKNeighborsRegressor(LEARNERS["pca"](), n_neighbors=3),
    "pairs": PairClassifier(quick(LEARNERS["itml"]())),
    "triplets": TripletClassifier(quick(LMNN())),
    "quadruplets": QuadrupletClassifier(quick(LEARNERS["lsml"]())),
    "table": TableClassifier(MetricKNeighborsClassifier(RCA(), n_neighbors=3)),
    "table of numbers": TableRegressor(FreeEnergyRegressor(**FEW)),
    **{f"metric_learn.{name}": getattr(metric_learn, name)() for name in metric_learn.__all__ if name != "Constraints"},
}
ESTIMATORS = {name: quick(estimator) for name, estimator in ESTIMATORS.items()}


def estimator_classes(cls=AtomicFit):
    return {cls} | {below for sub in cls.__subclasses__() for below in estimator_classes(sub)}


def test_every_public_estimator_is_in_the_list():
    known = {type(estimator) for estimator in ESTIMATORS.values()}
    public = {cls for cls in estimator_classes() if getattr(freemetric, cls.__name__, None) is cls}
    public |= {cls for cls in estimator_classes() if getattr(metric_learn, cls.__name__, None) is cls}
    assert public <= known
    assert all(isinstance(estimator, AtomicFit) for estimator in ESTIMATORS.values())


def data(estimator, seed):
    """What to fit an estimator on; another seed has other labels, numbers and features, and more of them."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 12)
    X = rng.normal(size=(24, 3 + seed)) + y[:, None]
    i = rng.permutation(24)
    width = {"pair": 2, "triplet": 3, "quadruplet": 4}
    tuples = next((width[word] for word in width if takes(estimator, word)), None)
    if tuples is not None:
        chosen = X[np.stack([np.roll(i, k) for k in range(tuples)], axis=1)]
        return (chosen, np.where(np.arange(24) % 2, 1, -1)) if tuples == 2 else (chosen,)
    if type(estimator) is metric_learn.RCA:
        return X, np.arange(24) // 4
    if is_regressor(estimator) or type(estimator).__name__ == "MLKR":
        return X, X[:, 0] + rng.normal(size=24)
    return X, np.array([["zz", "yy"], ["cat", "dog"]][seed])[y]


def takes(estimator, word):
    """Whether its fit takes tuples of this kind first."""
    names = list(type(estimator).fit.__wrapped__.__code__.co_varnames[1:2])
    return names[0].startswith(word)


def answers(estimator, given):
    """All outputs of an estimator."""
    found = [
        getattr(estimator, name)(given[0])
        for name in ("predict", "predict_proba", "transform", "pair_distance")
        if hasattr(estimator, name)
        and (name != "transform" or np.ndim(given[0]) == 2)
        and (name != "pair_distance" or (np.ndim(given[0]) == 3 and given[0].shape[1] == 2))
    ]
    return found or [estimator.get_mahalanobis_matrix()]


class AtCall:
    """Interrupts at the n-th call of a function of freemetric in a with-block, and counts them."""

    def __init__(self, n=None):
        self.n, self.made = n, 0

    def __enter__(self):
        self.before = sys.getprofile()
        sys.setprofile(self._noted)
        return self

    def _noted(self, frame, event, _):
        # Python ignores what is raised in a generator that it closes
        is_generator = frame.f_code.co_flags & inspect.CO_GENERATOR
        if event == "call" and frame.f_code.co_filename.startswith(HERE) and not is_generator:
            if self.made == self.n:
                sys.setprofile(None)
                raise KeyboardInterrupt
            self.made += 1

    def __exit__(self, *_):
        sys.setprofile(self.before)


def slow_or_not(name):
    """Names of metric-learn are those of learners that are in the list themselves: two of them are fast."""
    is_again = name.startswith("metric_learn.") and name not in ("metric_learn.ITML", "metric_learn.NCA")
    return pytest.param(name, marks=pytest.mark.slow if is_again else [])


@pytest.mark.parametrize("name", [slow_or_not(name) for name in ESTIMATORS])
def test_an_interrupt_at_any_moment(name):
    estimator = clone(ESTIMATORS[name])
    first, second = data(estimator, 0), data(estimator, 1)
    before = answers(estimator.fit(*first), first)
    for _ in range(2):  # the first calls what is cached then
        copy = clone(estimator)
        with AtCall() as calls:
            copy.fit(*second)
    for moment in MOMENTS[3:] if name.startswith("metric_learn.") else MOMENTS:  # names for learners that are here too
        n = int(moment * (calls.made - 3))  # an interrupt may leave a call or two less to the next fit
        with AtCall(n), pytest.raises(KeyboardInterrupt):
            estimator.fit(*second)
        for found, wanted in zip(answers(estimator, first), before, strict=True):
            np.testing.assert_array_equal(found, wanted)
    new = clone(estimator)
    with AtCall(calls.made // 2), pytest.raises(KeyboardInterrupt):
        new.fit(*first)
    with pytest.raises(NotFittedError):
        answers(new, first)


@pytest.mark.parametrize("name", ["classifier", "regressor", "nca", "table", "pairs"])
def test_bad_input_leaves_the_earlier_fit(name):
    estimator = clone(ESTIMATORS[name])
    first, second = data(estimator, 0), data(estimator, 1)
    before = answers(estimator.fit(*first), first)
    with pytest.raises(ValueError, match=r"."):
        estimator.fit(second[0], second[1][:-1])
    for found, wanted in zip(answers(estimator, first), before, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_interrupted_partial_fit():
    estimator = FreeEnergyClassifier(**FEW)
    X, y = data(estimator, 0)
    before = answers(estimator.fit(X, y), (X,))
    more = X[:6] + 0.1, y[:6]
    copy = clone(estimator).fit(X, y)
    with AtCall() as calls:
        copy.partial_fit(*more)
    for moment in MOMENTS:
        with AtCall(int(moment * (calls.made - 3))), pytest.raises(KeyboardInterrupt):
            estimator.partial_fit(*more)
        for found, wanted in zip(answers(estimator, (X,)), before, strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_a_refit_shows_nothing_before_its_end():
    """A thread that predicts meanwhile sees the earlier fit whole."""
    estimator = MetricKNeighborsClassifier(RCA(), n_folds=2, random_state=0)
    first, second = data(estimator, 0), data(estimator, 1)
    before, seen = answers(estimator.fit(*first), first), []

    class Watching(RCA):
        def fit(self, X, y):
            seen.append(answers(estimator, first))
            return super().fit(X, y)

    estimator.learner = Watching()
    assert estimator.fit(*second) is estimator
    assert len(seen) == 3
    for outputs in seen:
        for found, wanted in zip(outputs, before, strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert estimator.classes_.tolist() == ["cat", "dog"]


@pytest.mark.parametrize("name", ["nca", "dmlfe"])
def test_an_interrupt_ends_a_cross_validation(name, wine):
    with AtCall() as calls:
        clone(ESTIMATORS[name]).fit(*wine)
    with AtCall(int(0.8 * calls.made)), pytest.raises(KeyboardInterrupt):
        cross_val_score(MetricKNeighborsClassifier(ESTIMATORS[name], n_neighbors=3), *wine, cv=2)


def test_warnings_name_the_line_of_the_user(wine):
    assert callers_stacklevel() == 1
    with pytest.warns(UserWarning, match="NCA stopped at max_iter=2") as caught:
        NCA(max_iter=2).fit(*wine)
    assert caught[0].filename == __file__


PROGRAM = """
import sys, numpy as np
from sklearn.datasets import make_classification
import freemetric
X, y = make_classification(600, 12, n_informative=8, n_classes=4, random_state=0)
learner = {"fec": freemetric.FreeEnergyClassifier, **freemetric.LEARNERS}[sys.argv[1]]
learner().fit(X[:60], y[:60])
print("fitting", flush=True)
try:
    while True:
        learner().fit(X, y)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("delay", [0.05, 0.7, 1.9])
@pytest.mark.parametrize("name", [*LEARNERS, "fec"])
def test_a_signal_is_a_keyboard_interrupt(name, delay):
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "fitting\n"
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(delay)
            os.kill(child.pid, signal.SIGINT)
            out, said = child.communicate(timeout=20)
        finally:
            child.kill()
    assert (out, said, child.returncode) == ("interrupted\n", "", 0)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers of Unix")
def test_an_interrupt_during_a_compiled_function(rng):
    """numba notices it while it makes a tuple of results, and leaves a SystemError behind."""
    from freemetric.kernels.numba.compiling import njit

    @njit()
    def long(X):
        total = 0.0
        for k in range(40_000_000):
            total += np.sin(k)
        return total, X + total

    X = rng.random((3, 2))

    def interrupt(*_):
        raise KeyboardInterrupt

    long.compile("(float64[:, ::1],)")
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            long(X)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
