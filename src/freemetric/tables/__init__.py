"""Classification and regression of tables as people have them."""

from ..exceptions import require

require("pandas", "table")

from .encoder import TableEncoder  # noqa: E402 - pandas is checked first
from .estimators import TableClassifier, TableRegressor  # noqa: E402

__all__ = ["TableClassifier", "TableEncoder", "TableRegressor"]
