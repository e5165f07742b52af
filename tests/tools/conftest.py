"""Tools are scripts, and import their neighbours by the folder they stand in."""

import sys

from ..pages import ROOT

sys.path.append(str(ROOT / "tools"))
