"""Imports run one way, as the table of CONTRIBUTING.md says."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import freemetric

ROOT = Path(freemetric.__file__).parent
GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"
FILES = sorted(ROOT.rglob("*.py"))
LOOSE = {"_version", "exceptions", "sklearn_compat"}
"""Modules beside the packages: anybody may import them."""

DOORS = {"__init__", "__main__"}


def rows_of_table():
    """Packages in the order of the table, and the packages that each may import."""
    rows = {}
    for line in GUIDE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3 and cells[0].endswith("/`"):
            allowed = {name.strip(" `") for name in cells[2].split(",")} - {""}
            rows[cells[0].strip("`/")] = allowed
    rows["cli"] = set(rows) - {"cli"}
    return rows


MAY_IMPORT = rows_of_table()


@cache
def nodes_of(path):
    return list(ast.walk(ast.parse(path.read_text())))


def part_of(path):
    """Return the package or loose module that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def names_imported(path):
    """Yield what a file imports by statement, as lists of names from the top on."""
    package = path.relative_to(ROOT.parent).with_suffix("").parts
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom):
            base = package[: -node.level] if node.level else ()
            module = node.module.split(".") if node.module else []
            yield from ([*base, *module, alias.name] for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".") for alias in node.names)


def parts_imported(path):
    """Return the packages and loose modules of ours that a file imports."""
    found = set()
    for top, *names in names_imported(path):
        if top == "freemetric" and names:
            name = names[0]
            if name in freemetric.__all__:  # the package passes it on
                name = getattr(freemetric, name).__module__.split(".")[1]
            found.add(name)
    return found - {"__version__"}


def test_the_table_names_every_package():
    assert {part_of(path) for path in FILES} == set(MAY_IMPORT) | LOOSE | DOORS


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_a_package_imports_what_the_table_says(part):
    files = [path for path in FILES if part_of(path) == part]
    assert files
    for path in files:
        assert parts_imported(path) <= MAY_IMPORT[part] | LOOSE | {part}, path


@pytest.mark.parametrize("part", sorted(LOOSE))
def test_loose_modules_import_no_package(part):
    assert parts_imported(ROOT / f"{part}.py") <= LOOSE


def test_the_table_has_no_circle():
    below = set()
    todo = dict(MAY_IMPORT)
    while todo:
        free = {part for part, others in todo.items() if others <= below}
        assert free, f"a circle among {sorted(todo)}"
        below |= free
        todo = {part: others for part, others in todo.items() if part not in free}


def module_name(path):
    name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    return name.removesuffix(".__init__")


def test_modules_import_each_other_in_no_circle():
    """By any statement, also those inside of functions."""
    modules = {module_name(path): path for path in FILES}
    todo = {}
    for module, path in modules.items():
        imported = set()
        for *package, name in names_imported(path):
            whole = ".".join([*package, name])
            imported.add(whole if whole in modules else ".".join(package))
        todo[module] = imported & set(modules) - {module, "freemetric"}
    while todo:
        free = {module for module, others in todo.items() if not others & set(todo)}
        assert free, f"a circle among {sorted(todo)}"
        todo = {module: todo[module] for module in todo if module not in free}


IMPORTERS = {"import_module", "__import__", "find_spec", "load_module", "exec_module"}
LAZY = {
    "__init__.py",  # what takes a second to import
    "kernels/devices.py",  # the backend of a device
    "exceptions.py",  # libraries of an extra
}


def called(node):
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def test_nothing_of_ours_is_imported_by_string():
    for path in FILES:
        calls = [node for node in nodes_of(path) if isinstance(node, ast.Call)]
        name = path.relative_to(ROOT).as_posix()
        if name not in LAZY:
            assert not IMPORTERS & {called(call) for call in calls}, name
        for call in calls:
            if called(call) == "require":
                assert "freemetric" not in ast.unparse(call), name


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name != "_"


def test_no_private_name_of_another_package_is_imported():
    """Those of scikit-learn are imported in one file."""
    for path in FILES:
        for top, *names in names_imported(path):
            ours = top == "freemetric"
            is_own = ours and names[:1] == [part_of(path)]
            if is_own or path.name == "sklearn_compat.py":
                continue
            private = {name for name in names if is_private(name)}
            assert private <= ({"_version"} if ours else set()), f"{path}: {names}"


PUBLIC_BY_CONVENTION = {"_asdict", "_fields", "_replace"}  # of named tuples
OF_FITTED = {  # what scikit-learn's fitted estimators are made of
    "_default_to_infrequent_mappings",
    "_drop_idx_after_grouping",
    "_fit_X",
    "_infrequent_enabled",
    "_n_features_outs",
    "_y",
}
NO_OTHER_WAY = {"kernels": {"_cache"}, "files": OF_FITTED}
"""Names of numba and scikit-learn where these have no public way."""


def names_defined(part):
    """Return the functions, classes, attributes and fields of a package."""
    names = set(PUBLIC_BY_CONVENTION)
    for path in FILES:
        if part_of(path) != part:
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
    return names


def is_self(node):
    return ast.unparse(node) in ("self", "cls", "super()")


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_no_private_attribute_of_another_package_is_read(part):
    own = names_defined(part) | NO_OTHER_WAY.get(part, set())
    for path in FILES:
        if part_of(path) != part:
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.Attribute) and not is_self(node.value):
                line = f"{path.name}, line {node.lineno}: {node.attr}"
                assert not is_private(node.attr) or node.attr in own, line


def test_only_the_command_line_prints():
    for path in FILES:
        # What shows versions prints them, as scikit-learn does.
        if part_of(path) == "cli" or path.name in ("demo.py", "_version.py"):
            continue
        calls = [node for node in nodes_of(path) if isinstance(node, ast.Call)]
        assert "print" not in {called(call) for call in calls}, path


@pytest.mark.slow
def test_without_modules_that_only_unix_has():
    hide = "import sys; sys.modules.update(resource=None, fcntl=None, pwd=None)"
    use = "import freemetric.cli.commands, freemetric.experiments, freemetric.files"
    subprocess.run([sys.executable, "-c", f"{hide}; {use}"], check=True, timeout=120)
