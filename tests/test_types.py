"""Type checkers know every public name."""

import ast
from pathlib import Path

import freemetric

STUB = Path(freemetric.__file__).with_suffix(".pyi")


def names_imported(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {alias.name for node in found for alias in node.names}


def test_the_stub_declares_what_can_be_imported():
    rooms = {path.parent.name for path in STUB.parent.glob("*/__init__.py")}
    others = {"exceptions", "__version__", "show_versions"}
    names = {*freemetric.__all__, *rooms - {"cli"}, *others}
    assert names_imported(STUB) == names


def test_code_of_a_user_has_all_names():
    """`make lint` runs mypy --strict on it."""
    used = names_imported(Path(__file__).with_name("user_code.py"))
    assert set(freemetric.__all__) <= used
