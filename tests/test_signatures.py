"""Public functions say what they take and give."""

import ast
from pathlib import Path

import pytest

import freemetric

ROOT = Path(freemetric.__file__).parent
CONSTRUCTORS_OF_ESTIMATORS = "parameters that a constructor only stores are described in the docstring"


def public_functions(tree, inside_public=True, in_class=False):
    """Functions and methods that anyone may call."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from public_functions(node, inside_public and not node.name.startswith("_"), True)
        elif isinstance(node, ast.FunctionDef) and inside_public and not node.name.startswith("_"):
            yield node, in_class


def is_compiled(function):
    """Kernels take arrays and numbers of the types that numba finds."""
    return any(
        "njit" in ast.unparse(d) or "intrinsic" in ast.unparse(d) or "jit" in ast.unparse(d)
        for d in function.decorator_list
    )


def inherits_signature(function, in_class):
    """Methods that implement what a base class declares with its types."""
    return in_class and function.name in DECLARED


def declared_methods():
    """Names of methods that some base class of ours declares with types."""
    names = set()
    for path in ROOT.rglob("*.py"):
        for node, in_class in public_functions(ast.parse(path.read_text())):
            if in_class and node.returns is not None:
                names.add(node.name)
    return names


DECLARED = declared_methods()


def missing(function, in_class):
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    arguments += [a for a in (function.args.vararg, function.args.kwarg) if a is not None]
    is_static = any("staticmethod" in ast.unparse(d) for d in function.decorator_list)
    skipped = arguments[1:] if in_class and not is_static else arguments
    return [a.arg for a in skipped if a.annotation is None] + (["return"] if function.returns is None else [])


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_public_functions_have_types(path):
    if "triton" in path.name:
        return
    for function, in_class in public_functions(ast.parse(path.read_text())):
        if not is_compiled(function) and not inherits_signature(function, in_class):
            assert not missing(function, in_class), f"{path.name}, line {function.lineno}: {function.name}"
