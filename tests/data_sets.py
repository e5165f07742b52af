"""Where tests look for the data files: beside the checkout, or in FREEMETRIC_DATA."""

import os
from pathlib import Path

BESIDE = Path(__file__).parents[2] / "shared" / "data"
FOLDER = Path(os.environ.get("FREEMETRIC_DATA", BESIDE))
MISSING = f"no data sets in {FOLDER.name}/: set FREEMETRIC_DATA to their folder"
