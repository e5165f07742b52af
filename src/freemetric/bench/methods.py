"""The methods of the comparison, as tables know them."""

from ..tabular.methods import GRIDS, METHODS, REFERENCES, Method

__all__ = ["GRIDS", "METHODS", "REFERENCES", "Method"]
