"""Where tests look for the paper's data files: beside the checkout, or where FREEMETRIC_DATA says."""

import os
from pathlib import Path

FOLDER = Path(os.environ.get("FREEMETRIC_DATA", Path(__file__).parents[2] / "shared" / "data"))
MISSING = f"no data sets in {FOLDER.name}/: set FREEMETRIC_DATA to their folder"
