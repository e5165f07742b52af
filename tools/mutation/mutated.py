"""A process in which one module has another source: its own imports, and those of the processes that it starts.

What is to be mutated stands in variables of the environment. Files on the disk stay as they are, so that several
mutants can be tried at once, and no bytecode is kept.
"""

import ast
import gc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

NAME, FILE, SOURCE = (f"FREEMETRIC_MUTANT_{name}" for name in ("NAME", "FILE", "SOURCE"))
AT_START = Path(__file__).parent / "at_start"


class Loader(importlib.machinery.SourceFileLoader):
    """Runs the mutated source under the name and path of the module."""

    def get_code(self, fullname):
        """The code of the mutant, never kept."""
        return compile(Path(os.environ[SOURCE]).read_bytes(), self.path, "exec", dont_inherit=True)


class Finder:
    """Finds the one module before anybody else does."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """How to import the mutated module; None for every other."""
        if name != os.environ[NAME]:
            return None
        file = os.environ[FILE]
        return importlib.util.spec_from_file_location(name, file, loader=Loader(name, file))


def install() -> None:
    """Import the mutant from now on."""
    sys.meta_path.insert(0, Finder)


def function_at(source: str, line: int) -> tuple[int, str]:
    """The outermost function whose body is on a line: its first line, with its decorators, and its name."""
    for node in ast.walk(ast.parse(source)):  # outer ones come first
        if isinstance(node, ast.FunctionDef) and node.body[0].lineno <= line <= (node.end_lineno or 0):
            return min(part.lineno for part in (node, *node.decorator_list)), node.name
    raise LookupError(f"There is no function on line {line}.")


def swap(module_name: str, first_line: int, name: str, source: str) -> None:
    """Give a function of an imported module its mutated code, wherever it is held."""
    module = sys.modules[module_name]
    whole = compile(source, str(module.__file__), "exec", dont_inherit=True)
    code = next(code for code in codes_of(whole) if (code.co_firstlineno, code.co_name) == (first_line, name))
    holders = [
        function
        for function in gc.get_objects()
        if isinstance(function, FunctionType)
        and function.__globals__ is vars(module)
        and function.__code__.co_firstlineno == first_line
        and function.__code__.co_qualname == code.co_qualname
    ]
    if not holders:
        raise LookupError(f"{module_name} holds no {code.co_qualname}.")
    for function in holders:
        function.__code__ = code


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """The code of all functions and classes in a piece of code."""
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from codes_of(part)
