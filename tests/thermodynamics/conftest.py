"""Thermodynamics needs the extra ``thermo``."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("pymbar") else ["test_*.py"]
