"""A view and forms as users would write them, known while a test needs them."""

from contextlib import contextmanager

import numpy as np

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.metrics import FORMS, VIEWS, View, register_form, register_view
from freemetric.metrics.forms import LinearForm


class Toy(View):
    """Every feature twice: on a logarithmic scale and as its root."""

    words = "logarithms and roots"

    def __init__(self, low):
        self.low, self.owner = low, np.tile(np.arange(len(low)), 2)

    @classmethod
    def of(cls, X):
        return cls(X.min(axis=0))

    def __call__(self, X):
        above = np.maximum(X - self.low, 0.0)
        return np.hstack([np.log(1 + above), np.sqrt(above)])

    def to_state(self):
        return {"low": self.low}

    @classmethod
    def from_state(cls, state):
        return cls(state["low"])


class Doubled(LinearForm):
    """Maps of twice the size, written with the two operations that every form is given."""

    def start(self, n_features, n_components=None):
        return super().start(n_features, n_components) / 2

    def map(self, V, A, ops=np):
        return ops.multiply(ops.matmul(V, A.T), 2.0)

    def components(self, A):
        return 2 * A

    def seen_along(self, axes, A):
        return 2 * axes @ A


@contextmanager
def known(views=(), forms=()):
    """Register views and forms, and forget them afterwards."""
    views, forms = dict(views), dict(forms)
    for name, view in views.items():
        register_view(name, view)
    for name, form in forms.items():
        register_form(name, form)
    try:
        yield
    finally:
        for name in views:
            VIEWS.pop(name)
        for name in forms:
            FORMS.pop(name)


@contextmanager
def toy_model(X, y, form=None):
    """A classifier on the toy view with the toy form, or another one."""
    with known({"toy": Toy}, {"twice": form or Doubled()}):
        recipe = Recipe(candidates=["toy/twice"], subsample=0.3, other_temperatures=False)
        yield FreeEnergyClassifier(6, recipe=recipe, random_state=0).fit(X, y)
