"""Python imports this as it starts, where its folder is on the path: a test's own processes run the mutant too."""

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
from mutation import mutated

if mutated.NAME in os.environ:
    mutated.install()
