import numpy as np
import pytest
from sklearn.base import clone

from freemetric import DMLFE, FreeEnergyClassifier, load

pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")


class Counter:
    """Counts what a fit tells, and may stop a walk after some steps."""

    max_estimator_depth = None

    def __init__(self, most=None):
        self.most = most
        self.events = []

    def setup(self, estimator, context):
        self.events.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.events.append(f"end {context.task_name}")
        return self.most is not None and self.steps >= self.most

    def teardown(self, estimator, context):
        self.events.append("teardown")

    @property
    def steps(self):
        return self.events.count("end Monte Carlo step")


def test_every_step_is_told(iris):
    counter = Counter()
    model = DMLFE(random_state=0).set_callbacks(counter).fit(*iris)
    assert counter.steps == model.n_iter_ == 40
    assert counter.events[:2] == ["setup", "begin fit"]
    assert counter.events[-2:] == ["end fit", "teardown"]


def test_a_callback_can_stop_the_walk(iris):
    model = DMLFE(random_state=0).set_callbacks(Counter(most=7)).fit(*iris)
    assert model.n_iter_ == 7
    assert np.isfinite(model.components_).all()


def test_the_classifier_tells_the_steps_of_all_walks(iris):
    counter = Counter()
    model = FreeEnergyClassifier(8, random_state=0).set_callbacks(counter).fit(*iris)
    assert counter.steps % 18 == 0
    assert counter.steps >= 72
    plain = clone(model).fit(*iris)
    np.testing.assert_array_equal(plain.predict_proba(iris[0]), model.predict_proba(iris[0]))


def test_progress_bar_of_scikit_learn(iris, capsys):
    callback = pytest.importorskip("sklearn.callback")
    DMLFE(random_state=0).set_callbacks(callback.ProgressBar()).fit(*iris)
    assert "DMLFE" in capsys.readouterr().out


def test_callbacks_are_not_saved(iris, tmp_path):
    model = DMLFE(random_state=0).set_callbacks(Counter()).fit(*iris)
    model.save(tmp_path / "model.fm")
    np.testing.assert_array_equal(load(tmp_path / "model.fm").transform(iris[0]), model.transform(iris[0]))
