"""Forms of users' own are exported by themselves, views with a function of their own, others refused in one line."""

import numpy as np
import pytest

from freemetric import FreeEnergyClassifier, Recipe
from freemetric.metrics.forms import LinearForm
from freemetric.onnx_export import register_view_graph, to_onnx
from freemetric.onnx_export.parts import GRAPHS

from ..display.toys import Toy, known, toy_model
from .runtime import answer


@pytest.fixture
def graph_of_toy():
    def logarithms_and_roots(graph, view, X):
        above = graph.Max(graph.Sub(X, view.low), 0.0)
        return graph.Concat(graph.Log(graph.Add(1.0, above)), graph.Sqrt(above), axis=1)

    register_view_graph(Toy, logarithms_and_roots)
    yield
    GRAPHS.pop(Toy)


@pytest.mark.usefixtures("graph_of_toy")
def test_as_python_has_it(iris, rng):
    X, y = iris[0] + 1e-3 * rng.random((150, 4)), iris[1]
    with toy_model(X[::2], y[::2]) as model:
        label, probabilities = answer(to_onnx(model), X[1::2])
        wanted = model.predict_proba(X[1::2])
    np.testing.assert_allclose(probabilities, wanted, rtol=0, atol=1e-6)
    assert (label == wanted.argmax(axis=1)).all()


def test_a_view_without_a_graph(iris):
    line = "FreeEnergyClassifier cannot be exported: the view Toy has no ONNX graph; register_view_graph adds one"
    with toy_model(*iris) as model, pytest.raises(ValueError, match=f"^{line}$"):
        to_onnx(model)


class Derived(Toy):
    """May see something else than its base."""

    def __call__(self, X):
        return super().__call__(X) + 1


@pytest.mark.usefixtures("graph_of_toy")
def test_a_derived_view_is_another(iris):
    with known({"derived": Derived}):
        model = FreeEnergyClassifier(2, recipe=Recipe(candidates=["derived/diagonal"]), random_state=0).fit(*iris)
        with pytest.raises(ValueError, match="the view Derived has no ONNX graph"):
            to_onnx(model)


class ByOperators(LinearForm):
    def map(self, V, A, ops=np):
        return V @ A.T


class ByNumpy(LinearForm):
    def map(self, V, A, ops=np):
        return np.matmul(V, A.T)


class ByOtherOperations(LinearForm):
    def map(self, V, A, ops=np):
        return ops.einsum("nd,pd->np", V, A)


class ByMoreThanAProduct(LinearForm):
    def map(self, V, A, ops=np):
        return ops.add(ops.matmul(V, A.T), 1.0)


class ByElements(LinearForm):
    def map(self, V, A, ops=np):
        return np.array([[a @ v for a in A] for v in V])


@pytest.mark.usefixtures("graph_of_toy")
@pytest.mark.parametrize("form", [ByOperators, ByNumpy, ByOtherOperations, ByMoreThanAProduct, ByElements])
def test_forms_that_do_something_else(form, iris):
    line = r"^FreeEnergyClassifier cannot be exported: the form twice has no ONNX graph; .* matmul and multiply [^\n]*$"
    with toy_model(*iris, form=form()) as model, pytest.raises(ValueError, match=line):
        to_onnx(model)
