"""Write an ONNX graph as one writes numpy: operators are methods, arrays constants."""

import numpy as np

from ..exceptions import require

onnx = require("onnx", "onnx")
skl2onnx = require("skl2onnx", "onnx")
types = require("skl2onnx.common.data_types", "onnx")

OPSET = {"": 18, "ai.onnx.ml": 3}  # of 2022, for older runtimes


class Graph:
    """A graph of samples "X", with the operators of ONNX as methods.

    ``graph.Add(x, 1.0)`` adds a node and returns the name of its output. Inputs are
    names, arrays or numbers.
    """

    def __init__(self):
        self.nodes = []
        self.constants = []
        self._n_names = 0

    def __getattr__(self, operator):
        if not operator[:1].isupper():
            raise AttributeError(operator)

        def add(*inputs, n_outputs=1, **attributes):
            names = [x if isinstance(x, str) else self.constant(x) for x in inputs]
            outputs = [self._name() for _ in range(n_outputs)]
            node = onnx.helper.make_node(operator, names, outputs, **attributes)
            self.nodes.append(node)
            return outputs[0] if n_outputs == 1 else outputs

        return add

    def _name(self):
        self._n_names += 1
        return f"v{self._n_names}"

    def constant(self, value):
        """The name of an array: doubles, integers of 64 bits, or texts."""
        array = np.asarray(value)
        kinds = {"f": np.float64, "i": np.int64, "u": np.int64, "b": bool}
        array = array.astype(kinds.get(array.dtype.kind, object))
        name = self._name()
        self.constants.append(onnx.numpy_helper.from_array(array, name))
        return name

    def doubles(self, X):
        """X in double precision."""
        return self.Cast(X, to=onnx.TensorProto.DOUBLE)

    def integers(self, X):
        """X as integers of 64 bits."""
        return self.Cast(X, to=onnx.TensorProto.INT64)

    def take(self, X, columns):
        """Columns of X (n, d)."""
        return self.Gather(X, np.asarray(columns), axis=1)

    def total(self, X, axis, keepdims=1):
        """Sums along an axis."""
        return self.ReduceSum(X, np.array([axis]), keepdims=keepdims)

    def foreign(self, estimator, X):
        """The outputs of an estimator of scikit-learn, by the converter of skl2onnx."""
        options = {}
        if hasattr(estimator, "predict_proba"):
            options = {id(estimator): {"zipmap": False}}
        made = skl2onnx.convert_sklearn(
            estimator,
            initial_types=[
                ("X", types.DoubleTensorType([None, estimator.n_features_in_]))
            ],
            target_opset=OPSET,
            options=options,
        )
        made = onnx.compose.add_prefix(made, f"{self._name()}_").graph
        self.nodes.append(onnx.helper.make_node("Identity", [X], [made.input[0].name]))
        self.nodes.extend(made.node)
        self.constants.extend(made.initializer)
        return [output.name for output in made.output]

    def model(self, name, n_features, outputs, notes):
        """The whole, checked.

        Parameters
        ----------
        name : str
            What it is.
        n_features : int
            Columns of X.
        outputs : dict of str to str
            Results by the names that they get.
        notes : dict of str to str
            Metadata.

        Returns
        -------
        onnx.ModelProto
            The model.
        """
        self.nodes.extend(
            onnx.helper.make_node("Identity", [result], [put])
            for put, result in outputs.items()
        )
        double = onnx.TensorProto.DOUBLE
        samples = onnx.helper.make_tensor_value_info("X", double, [None, n_features])
        puts = [onnx.ValueInfoProto(name=put) for put in outputs]
        body = onnx.helper.make_graph(self.nodes, name, [samples], puts, self.constants)
        opset = [onnx.helper.make_opsetid(*pair) for pair in OPSET.items()]
        made = onnx.helper.make_model(body, opset_imports=opset, ir_version=8)
        onnx.helper.set_model_props(made, notes)
        return onnx.shape_inference.infer_shapes(made, strict_mode=True)
