"""The methods of the comparison, as tables know them."""

from ..tabular.methods import GRIDS, METHODS, Method
from ..tabular.references import REFERENCES

__all__ = ["GRIDS", "METHODS", "REFERENCES", "Method"]
