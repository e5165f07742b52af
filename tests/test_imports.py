"""Imports run one way: kernels, mc <- energies <- learners; energies and mc meet only in the learners."""

import ast
from pathlib import Path

import pytest

import freemetric

ROOT = Path(freemetric.__file__).parent
MAY_IMPORT = {
    "kernels": set(),
    "mc": set(),
    "energies": {"kernels"},
    "files": {"exceptions", "_version"},
    "learners": {"kernels", "mc", "energies", "files", "exceptions"},
    "datasets": {"csv_records", "exceptions"},
    "bench": {"extras", "kernels", "mc", "energies", "learners", "datasets", "files", "exceptions", "_version"},
    "display": {"extras", "learners", "bench"},
    "report": {"extras", "learners", "display", "mc", "files", "_version"},
    "onnx_export": {"extras", "learners", "files"},
    "tabular": {"csv_records", "extras", "learners", "bench", "display", "files", "exceptions"},
}


def imported_parts(path):
    """Top-level parts of freemetric that a file imports."""
    package = path.relative_to(ROOT.parent).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = package[: -node.level] if node.level else ()
            parts = [*base, *(node.module.split(".") if node.module else [])]
            names = [[*parts, alias.name] for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        else:
            continue
        for name in names:
            if name[0] == "freemetric" and len(name) > 1:
                yield name[1]


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_layers(part):
    files = list((ROOT / part).rglob("*.py"))
    assert files
    for path in files:
        assert set(imported_parts(path)) <= MAY_IMPORT[part] | {part}, path.name


def test_the_library_does_not_print():
    for path in ROOT.rglob("*.py"):
        if path.name == "demo.py" or "cli" in path.relative_to(ROOT).parts:
            continue
        calls = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
        assert not [c for c in calls if getattr(c.func, "id", None) == "print"], path.name
