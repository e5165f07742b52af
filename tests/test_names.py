"""Names are words of the field."""

import ast
import re
from pathlib import Path

import pytest

import freemetric

ROOT = Path(freemetric.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
VAGUE = {"some", "place", "seen", "whole", "known", "given", "told"}
OWN = {"voter", "ballot", "jury", "hearing", "verdict", "precinct", "trust", "judge"}


def names_in(path):
    """Yield functions, classes, parameters, attributes and variables, with lines."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def words_of(name):
    """Words of a name, also of one in camel case, in the singular and as they are."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    return words | {word.removesuffix("s") for word in words}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name + path.stem)
def test_names_are_words_of_the_field(path):
    found = [
        f"{name} in line {line}"
        for name, line in names_in(path)
        if words_of(name) & (VAGUE | OWN)
    ]
    assert not found
