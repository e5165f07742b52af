"""Models as ONNX graphs, which predict where there is no Python (extra ``onnx``).

Every metric learner, both classifiers and the pipelines around them are exported, in double precision. skl2onnx makes
the graphs of scikit-learn's own steps; :func:`register` teaches it ours.
"""

from .converters import register
from .export import to_onnx

__all__ = ["register", "to_onnx"]
