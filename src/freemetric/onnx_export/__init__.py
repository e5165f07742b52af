"""Models as ONNX graphs, which predict where there is no Python (extra ``onnx``).

Every metric learner, the classifiers, the regressor and the pipelines around them are exported, in double precision.
skl2onnx makes the graphs of scikit-learn's own steps; :func:`register` teaches it ours. Forms of the map that users
register are exported by themselves, views with :func:`register_view_graph` and class densities with
:func:`register_density_graph`.
"""

from .converters import register
from .export import to_onnx
from .parts import register_density_graph, register_view_graph

__all__ = ["register", "register_density_graph", "register_view_graph", "to_onnx"]
