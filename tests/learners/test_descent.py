"""What NCMML, LDML and MCML have in common: starts, interrupts, words on the way, an end that came too early."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from freemetric import LDML, MCML, NCMML, keep_interrupted_fits
from freemetric.exceptions import InterruptedFitWarning
from freemetric.learners import ldml, mcml, ncmml

OBJECTIVES = {NCMML: (ncmml, "mean_loss"), LDML: (ldml, "pair_loss"), MCML: (mcml.Collapse, "__call__")}


@pytest.fixture(params=OBJECTIVES, ids=lambda cls: cls.__name__)
def learner(request):
    return request.param(random_state=0)


def value(model):
    return model.energy_ if isinstance(model, NCMML) else model.objective_


def test_interrupted_fit_keeps_the_best(learner, wine, monkeypatch):
    module, name = OBJECTIVES[type(learner)]
    objective, calls = getattr(module, name), []

    def interrupted(*args):
        calls.append(None)
        if len(calls) > 5:
            raise KeyboardInterrupt
        return objective(*args)

    whole = value(clone(learner).fit(*wine))
    monkeypatch.setattr(module, name, interrupted)
    with (
        keep_interrupted_fits(),
        pytest.warns(InterruptedFitWarning, match=f"{type(learner).__name__}.fit was interrupted"),
    ):
        learner.fit(*wine)
    assert np.isfinite(learner.components_).all()
    assert value(learner) > whole
    calls.extend(range(9))
    with pytest.raises(KeyboardInterrupt):
        clone(learner).fit(*wine)


def test_an_early_end_is_said(learner, wine):
    name = type(learner).__name__
    with pytest.warns(ConvergenceWarning, match=f"{name} stopped at max_iter=2 before it converged to tol="):
        learner.set_params(max_iter=2).fit(*wine)
    assert learner.n_iter_ == 2


def test_verbose_says_a_line_an_iteration(learner, wine, caplog):
    with caplog.at_level("INFO", logger="freemetric"):
        learner.set_params(verbose=True).fit(*wine)
    assert len(caplog.records) == learner.n_iter_
    assert caplog.records[0].getMessage().startswith(f"{type(learner).__name__} iteration 1: objective ")


@pytest.mark.parametrize("init", ["identity", "pca", "lda", "random", "uniform"])
def test_starts_of_every_kind_end_low(learner, wine, init):
    X, y = wine
    found = clone(learner).set_params(n_components=2, init=init).fit(X, y)
    assert found.components_.shape == (2, 13)
    assert value(found) < 1.0


def test_a_given_start_is_a_map_of_what_was_given(learner, wine):
    X, y = wine
    parameters = {"regularization": 0} if isinstance(learner, NCMML) else {}  # else it is also what costs to leave
    learner.set_params(**parameters)
    model = clone(learner).fit(X, y)
    again = clone(learner).set_params(init=model.components_ / 1e6).fit(1e6 * X, y)
    assert again.n_iter_ < model.n_iter_ / 2
    assert value(again) == pytest.approx(value(model), rel=0.05, abs=1e-3)


def test_a_start_of_a_wrong_shape_is_named(learner, wine):
    with pytest.raises(ValueError, match=r"init has shape \(3, 3\); expected \(<= 13, 13\)"):
        learner.set_params(init=np.eye(3)).fit(*wine)


@pytest.mark.parametrize(("name", "bad"), [("regularization", -1), ("tol", -1), ("max_iter", 0), ("init", "best")])
def test_bad_parameters_are_named(learner, wine, name, bad):
    with pytest.raises(ValueError, match=f"'{name}' parameter of {type(learner).__name__}"):
        learner.set_params(**{name: bad}).fit(*wine)
