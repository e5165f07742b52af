"""Write an ONNX graph as one writes numpy: operators are methods, arrays are constants."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..extras import require

onnx = require("onnx", "onnx")
skl2onnx = require("skl2onnx", "onnx")
types = require("skl2onnx.common.data_types", "onnx")


class GraphBuilder:
    """The graph of a skl2onnx conversion, with the operators of ONNX as methods.

    ``graph.Add(x, 1.0)`` adds a node and returns the name of its output, or a list of names if ``n_outputs`` is larger
    than one. Inputs are names, arrays or numbers.
    """

    def __init__(self, scope: Any, container: Any) -> None:
        self.scope, self._container = scope, container
        self._constants: dict[tuple, str] = {}

    def __getattr__(self, operator: str) -> Callable[..., Any]:
        if not operator[:1].isupper():
            raise AttributeError(operator)

        def add(*inputs, n_outputs=1, domain="", **attributes):
            names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
            outputs = [self.scope.get_unique_variable_name(operator.lower()) for _ in range(n_outputs)]
            node = self.scope.get_unique_operator_name(operator)
            self._container.add_node(operator, names, outputs, op_domain=domain, name=node, **attributes)
            return outputs[0] if n_outputs == 1 else outputs

        return add

    def constant(self, value: ArrayLike) -> str:
        """The name of an array, which is stored once; floating-point numbers are doubles, integers have 64 bits."""
        array: NDArray = np.asarray(value)
        if array.dtype.kind in "fiu":
            array = np.ascontiguousarray(array, dtype=np.float64 if array.dtype.kind == "f" else np.int64)
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self._constants:
            self._constants[key] = name = self.scope.get_unique_variable_name("constant")
            if array.dtype.kind == "U":
                texts = [text.encode() for text in array.ravel().tolist()]
                self._container.add_initializer(name, onnx.TensorProto.STRING, array.shape, texts)
            else:
                tensor = onnx.numpy_helper.from_array(array)
                self._container.add_initializer(name, tensor.data_type, array.shape, tensor)
        return self._constants[key]

    def doubles(self, X: str) -> str:
        """X in double precision, as scikit-learn's validation would have it."""
        return self.Cast(X, to=onnx.TensorProto.DOUBLE)

    def integers(self, X: str) -> str:
        """X as integers of 64 bits."""
        return self.Cast(X, to=onnx.TensorProto.INT64)

    def take(self, X: str, columns: Sequence[int] | NDArray) -> str:
        """Columns of X, in a given order."""
        return self.Gather(X, np.asarray(columns, dtype=np.int64), axis=1)

    def total(self, X: str, axis: int) -> str:
        """Sums along an axis, which is kept."""
        return self.ReduceSum(X, np.array([axis]), keepdims=1)

    def image(self, learner: Any, X: str, n_features: int) -> str:
        """The map of X by a learner inside of a model, by the converter of that learner."""
        samples = self.scope.declare_local_variable("X", types.DoubleTensorType([None, n_features]))
        self.hand_over(X, samples)
        image = self.scope.declare_local_variable("Z", types.DoubleTensorType())
        inner = self.scope.declare_local_operator(skl2onnx.get_model_alias(type(learner)), learner)
        inner.inputs.append(samples)
        inner.outputs.append(image)
        return image.full_name

    def hand_over(self, name: str, variable: Any) -> None:
        """Make a result the output that skl2onnx has declared, in its type."""
        node, kind = self.scope.get_unique_operator_name("Cast"), variable.type.to_onnx_type().tensor_type.elem_type
        self._container.add_node("Cast", [name], [variable.full_name], name=node, to=kind)
