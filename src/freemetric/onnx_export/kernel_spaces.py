"""The feature space of a kernel as a graph."""

from collections.abc import Callable

import numpy as np

from ..learners.kernel_space import Kernel
from ..learners.kernelized import Kernelized
from .graph import Graph


def kernel_coordinates(graph: Graph, model: Kernelized, X: str) -> str:
    """Coordinates (n, r) of patterns, as the learner in the model takes them; ValueError where there is no graph."""
    kernel = Kernel(model.kernel, model.gamma_, model.degree, model.coef0)
    if not isinstance(kernel.kind, str):
        raise ValueError("a kernel of one's own has no ONNX graph, only those that have a name")
    K = GRAPHS[kernel.kind](graph, kernel, X, model.landmarks_)
    return graph.MatMul(graph.Sub(K, model.offset_), model.projection_.T)


def _rbf(graph, kernel, X, landmarks):
    centre = landmarks.mean(axis=0)
    X, landmarks = graph.Sub(X, centre), landmarks - centre
    lengths = graph.ReduceSumSquare(X, np.array([1]), keepdims=1)
    products = graph.MatMul(X, -2 * landmarks.T)
    squared = graph.Add(graph.Add(products, lengths), (landmarks**2).sum(axis=1))
    return graph.Exp(graph.Mul(graph.Max(squared, 0.0), -kernel.gamma))


def _laplacian(graph, kernel, X, landmarks):
    """A feature after the other: all at once would need the memory of n m d numbers."""
    apart = [graph.Abs(graph.Sub(graph.take(X, [i]), landmarks[:, i])) for i in range(landmarks.shape[1])]
    return graph.Exp(graph.Mul(graph.Sum(*apart), -kernel.gamma))


def _poly(graph, kernel, X, landmarks):
    return graph.Pow(graph.Add(_products(graph, kernel.gamma, X, landmarks), float(kernel.coef0)), float(kernel.degree))


def _sigmoid(graph, kernel, X, landmarks):
    return graph.Tanh(graph.Add(_products(graph, kernel.gamma, X, landmarks), float(kernel.coef0)))


def _cosine(graph, kernel, X, landmarks):
    lengths = np.linalg.norm(landmarks, axis=1, keepdims=True)
    norms = graph.ReduceL2(X, np.array([1]), keepdims=1)
    norms = graph.Where(graph.Equal(norms, 0.0), 1.0, norms)
    return graph.MatMul(graph.Div(X, norms), (landmarks / np.where(lengths > 0, lengths, 1)).T)


def _linear(graph, kernel, X, landmarks):
    return graph.MatMul(X, landmarks.T)


def _products(graph, gamma, X, landmarks):
    # a factor behind the product would become one of single precision in onnxruntime
    return graph.MatMul(X, gamma * landmarks.T)


GRAPHS: dict[str, Callable[..., str]] = {
    "rbf": _rbf,
    "laplacian": _laplacian,
    "poly": _poly,
    "sigmoid": _sigmoid,
    "cosine": _cosine,
    "linear": _linear,
    "precomputed": lambda graph, kernel, X, landmarks: graph.take(X, landmarks),
}
"""Functions (graph, kernel, X, landmarks) -> K by the name of the kernel."""
