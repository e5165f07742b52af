"""Forms of the map as graphs: they are written by the forms themselves."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..metrics import Member
from .graph import Graph


@dataclass(frozen=True)
class Symbol:
    """A result in a graph, where a form expects an array; numpy and Python's operators refuse it."""

    name: str
    __array_ufunc__ = None


class GraphOperations:
    """numpy's ``matmul`` and ``multiply``, which add nodes to a graph instead of computing.

    Parameters
    ----------
    graph : Graph
        Where the nodes go.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def matmul(self, a: Symbol | NDArray, b: Symbol | NDArray) -> Symbol:
        """The product of matrices."""
        return Symbol(self.graph.MatMul(*map(_operand, (a, b))))

    def multiply(self, a: Symbol | NDArray, b: Symbol | NDArray) -> Symbol:
        """The product, element by element."""
        return Symbol(self.graph.Mul(*map(_operand, (a, b))))


def _operand(value: Any) -> Any:
    return value.name if isinstance(value, Symbol) else np.asarray(value, dtype=np.float64)


def spaces(graph: Graph, member: Member, V: str) -> list[str]:
    """The view V in every replica's space; ValueError where the form needs more than the two operations."""
    try:
        mapped = list(member.spaces(Symbol(V), GraphOperations(graph)))
    except (AttributeError, TypeError, ValueError) as problem:
        raise _refusal(member) from problem
    if not all(isinstance(Z, Symbol) for Z in mapped):
        raise _refusal(member)
    return [Z.name for Z in mapped]


def _refusal(member):
    name = member.candidate.form
    return ValueError(f"the form {name} has no ONNX graph; its map must take matmul and multiply of ops, and no more")
