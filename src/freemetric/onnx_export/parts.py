"""Views, class densities and kernels as graphs."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.preprocessing import QuantileTransformer

from .. import metrics
from ..learners.kernelized import Kernel, Kernelized
from ..metrics import ClassDensity, View, boosted_trees, class_densities, trends
from ..metrics.kernel_ridge import FLOOR, ClassKernelRidge
from ..metrics.views import Logarithms, Quantiles, Scaled, Steps
from .graph import GraphBuilder

PartGraph = Callable[[GraphBuilder, Any, str], str]


def register_view_graph(view_class: type[View], function: PartGraph) -> None:
    """Export models with a custom view.

    Parameters
    ----------
    view_class : subclass of View
        The view. Classes derived from it need functions of their own.
    function : callable
        Called as ``function(graph, view, X)`` with the fitted view and the name of the samples; returns the name of the
        result. Operators of ONNX are methods of ``graph``: ``graph.Mul(X, 2.0)`` adds a node and returns the name of
        its output; arrays and numbers become constants, in double precision.

    Examples
    --------
    >>> from freemetric.metrics.views import Scaled
    >>> from freemetric.onnx_export import register_view_graph
    >>> class Squares(Scaled):
    ...     def __call__(self, X):
    ...         return super().__call__(X) ** 2
    >>> def squares(graph, view, X):
    ...     V = graph.Div(graph.Sub(X, view.low), view.span)
    ...     return graph.Mul(V, V)
    >>> register_view_graph(Squares, squares)
    """
    GRAPHS[view_class] = function


def register_density_graph(density_class: type[ClassDensity], function: PartGraph) -> None:
    """Export models with a custom class density.

    Parameters
    ----------
    density_class : subclass of ClassDensity
        The class density. Classes derived from it need functions of their own.
    function : callable
        Called as ``function(graph, density, X)``; see :func:`register_view_graph`.
    """
    GRAPHS[density_class] = function


def part_graph(graph: GraphBuilder, part: View | ClassDensity, X: str) -> str:
    """The graph of a view or a class density for samples X; ValueError if no function is registered for its class."""
    if type(part) not in GRAPHS:
        word, kind = ("view", "view") if isinstance(part, View) else ("class density", "density")
        raise ValueError(f"the {word} {type(part).__name__} has no ONNX graph; register_{kind}_graph adds one")
    return GRAPHS[type(part)](graph, part, X)


def on_quantiles(graph: GraphBuilder, transformer: QuantileTransformer, X: str) -> str:
    """A QuantileTransformer for a uniform distribution: the mean of interpolations from below and from above.

    The lowest value and all below are 0, the highest and all above are 1; a constant is both, and becomes 0.
    """
    if transformer.output_distribution != "uniform":
        raise ValueError("QuantileTransformer is exported for a uniform distribution")
    table, levels = transformer.quantiles_, transformer.references_
    upwards = _interpolated(graph, X, table, levels)
    downwards = _interpolated(graph, graph.Neg(X), -table[::-1], -levels[::-1])
    mean = graph.Mul(0.5, graph.Sub(upwards, downwards))
    mean = graph.Where(graph.GreaterOrEqual(X, table[-1]), 1.0, mean)
    return graph.Where(graph.LessOrEqual(X, table[0]), 0.0, mean)


def _interpolated(graph, X, table, levels):
    """``np.interp(X[:, f], table[:, f], levels)`` for every feature f, within the ends of its table."""
    n_rows, n_features = table.shape
    start = n_rows * np.arange(n_features)

    def cells(row):
        return graph.Gather(table.T.ravel(), graph.Add(row, start))

    # The last row that is not above X, by bisection: comparing all rows would take n_rows times the memory.
    row = graph.integers(graph.Less(X, X))  # zeros of its shape
    for power in reversed(range((n_rows - 1).bit_length())):
        trial = graph.Min(graph.Add(row, 2**power), n_rows - 1)
        row = graph.Where(graph.LessOrEqual(cells(trial), X), trial, row)
    above = graph.Min(graph.Add(row, 1), n_rows - 1)
    low, level = cells(row), graph.Gather(levels, row)
    width = graph.Sub(cells(above), low)
    width = graph.Where(graph.Greater(width, 0.0), width, 1.0)  # it is 0 in the last row alone, and so is the rise
    slope = graph.Div(graph.Sub(graph.Gather(levels, above), level), width)
    return graph.Add(graph.Mul(slope, graph.Sub(X, low)), level)


def _products(graph, view, X):
    V = graph.Clip(graph.Sub(graph.Div(graph.Sub(X, view.low), view.span), 0.5), -trends.FARTHEST, trends.FARTHEST)
    return graph.Mul(graph.take(V, view.first), graph.take(V, view.owner))


def _student_t(graph, density, X):
    (C, d), apart = density.shape, []
    for centre, root in zip(density.centres, np.broadcast_to(density.roots, (C, d, d)), strict=True):
        Z = graph.MatMul(graph.Sub(X, centre), root)
        apart.append(graph.total(graph.Mul(Z, Z), 1))
    bounded = graph.Min(graph.Concat(*apart, axis=1), class_densities.FARTHEST)
    rise = graph.Mul(float(d), graph.Log(graph.Add(1.0, graph.Div(bounded, float(d)))))
    return graph.Div(graph.Add(rise, density.depths), np.sqrt(d))


def _logarithms(graph, view, X):
    positive = graph.Max(graph.Where(view.logged, X, 1.0), 0.0)
    V = graph.Div(graph.Sub(graph.Where(view.logged, graph.Log(positive), X), view.low), view.span)
    return graph.Where(view.logged, graph.Max(V, -1.0), V)


def _turned(graph, view, X):
    return graph.MatMul(graph.Sub(X, view.centre), view.matrix)


def _naive_bayes(graph, density, X):
    return graph.Add(graph.MatMul(part_graph(graph, density.steps, X), density.slopes), density.base)


def trees(graph: GraphBuilder, found: boosted_trees.Trees, X: str) -> str:
    """Sums (n, C) of the leaves that samples X reach, all trees a level at a time."""
    (T, n_inner), n_leaves = found.features.shape, found.leaves.shape[1]
    first = graph.take(X, np.zeros(T))
    node = graph.integers(graph.Less(first, first))  # (n, T), at the root of every tree
    for _ in range(n_leaves.bit_length() - 1):
        place = graph.Add(node, n_inner * np.arange(T))
        value = graph.GatherElements(X, graph.Gather(found.features.ravel(), place), axis=1)
        right = graph.Greater(value, graph.Gather(found.thresholds.ravel(), place))
        node = graph.Add(graph.Add(graph.Mul(node, 2), 1), graph.integers(right))
    leaves = found.leaves.reshape(T * n_leaves, -1)
    reached = graph.Gather(leaves, graph.Add(node, n_leaves * np.arange(T) - n_inner))
    return graph.ReduceSum(reached, np.array([1]), keepdims=0)


def _kernel_ridge(graph, model, X):
    """Every block predicts all samples, and the block of the nearest centre counts."""
    images = [graph.MatMul(part_graph(graph, view, X), model.maps[name]) for name, view in model.views.items()]
    Z, found = graph.Sub(graph.Sum(*images), model.origin), None
    nearest = graph.ArgMin(_squares(graph, Z, model.centres), axis=1, keepdims=1)
    for number, (members, coefficients) in enumerate(zip(model.blocks, model.coefficients, strict=True)):
        squares = _squares(graph, Z, model.landmarks[members].astype(float))
        K = graph.Exp(graph.Div(graph.Sqrt(graph.Max(squares, 0.0)), -model.length))
        here = graph.MatMul(K, coefficients)
        found = here if found is None else graph.Where(graph.Equal(nearest, number), here, found)
    return graph.Neg(graph.Log(graph.Add(graph.Max(graph.Add(found, model.base), 0.0), FLOOR)))


def _squares(graph, Q, Z):
    """Squared distances (n, m) of Q (n, q) and constants Z (m, q)."""
    own = graph.total(graph.Mul(Q, Q), 1)
    return graph.Add(graph.Sub(own, graph.MatMul(Q, 2 * Z.T)), (Z * Z).sum(axis=1))


GRAPHS: dict[type, PartGraph] = {
    Scaled: lambda graph, view, X: graph.Div(graph.Sub(X, view.low), view.span),
    Logarithms: _logarithms,
    Quantiles: lambda graph, view, X: on_quantiles(graph, view.transformer, X),
    Steps: lambda graph, view, X: graph.doubles(graph.Greater(graph.take(X, view.owner), view.threshold)),
    trends.Products: _products,
    metrics.Whitened: _turned,
    metrics.Axes: _turned,
    metrics.StudentTDiscriminant: _student_t,
    metrics.SharedStudentT: _student_t,
    metrics.BinnedNaiveBayes: _naive_bayes,
    metrics.ScreenedNaiveBayes: _naive_bayes,
    metrics.BoostedTrees: lambda graph, density, X: graph.Neg(trees(graph, density.trees, X)),
    ClassKernelRidge: _kernel_ridge,
}
"""Functions (graph, part, X) -> result by the class of the view or density."""


def kernel_coordinates(graph: GraphBuilder, model: Kernelized, X: str) -> str:
    """Kernel coordinates (n, r) of samples, the input of the learner in the model."""
    kernel = Kernel(model.kernel, model.gamma_, model.degree, model.coef0)
    if not isinstance(kernel.kind, str):
        raise ValueError("a kernel of one's own has no ONNX graph, only those that have a name")
    K = KERNELS[kernel.kind](graph, kernel, X, model.landmarks_)
    return graph.MatMul(graph.Sub(K, model.offset_), model.projection_.T)


def _rbf(graph, kernel, X, landmarks):
    centre = landmarks.mean(axis=0)
    X, landmarks = graph.Sub(X, centre), landmarks - centre
    lengths = graph.ReduceSumSquare(X, np.array([1]), keepdims=1)
    products = graph.MatMul(X, -2 * landmarks.T)
    squared = graph.Add(graph.Add(products, lengths), (landmarks**2).sum(axis=1))
    return graph.Exp(graph.Mul(graph.Max(squared, 0.0), -kernel.gamma))


def _laplacian(graph, kernel, X, landmarks):
    """One feature after the other: all at once would take n m d numbers of memory."""
    apart = [graph.Abs(graph.Sub(graph.take(X, [i]), landmarks[:, i])) for i in range(landmarks.shape[1])]
    return graph.Exp(graph.Mul(graph.Sum(*apart), -kernel.gamma))


def _cosine(graph, kernel, X, landmarks):
    lengths = np.linalg.norm(landmarks, axis=1, keepdims=True)
    norms = graph.ReduceL2(X, np.array([1]), keepdims=1)
    norms = graph.Where(graph.Equal(norms, 0.0), 1.0, norms)
    return graph.MatMul(graph.Div(X, norms), (landmarks / np.where(lengths > 0, lengths, 1)).T)


def _affine_products(graph, kernel, X, landmarks):
    # Behind the product, onnxruntime would make the factor one of single precision.
    return graph.Add(graph.MatMul(X, kernel.gamma * landmarks.T), float(kernel.coef0))


KERNELS: dict[str, Callable[..., str]] = {
    "rbf": _rbf,
    "laplacian": _laplacian,
    "poly": lambda graph, kernel, X, Z: graph.Pow(_affine_products(graph, kernel, X, Z), float(kernel.degree)),
    "sigmoid": lambda graph, kernel, X, Z: graph.Tanh(_affine_products(graph, kernel, X, Z)),
    "cosine": _cosine,
    "linear": lambda graph, kernel, X, Z: graph.MatMul(X, Z.T),
    "precomputed": lambda graph, kernel, X, Z: graph.take(X, Z),
}
"""Functions (graph, kernel, X, landmarks) -> K by the name of the kernel."""
