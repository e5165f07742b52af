"""Benchmarks are scripts, and import their neighbours by the folder they stand in."""

import sys

from ..pages import ROOT

FOLDER = ROOT / "benchmarks"
sys.path.append(str(FOLDER))
sys.path += [
    str(FOLDER / name)
    for name in ("paper", "classification", "regression", "speed", "scale", "physics")
]
