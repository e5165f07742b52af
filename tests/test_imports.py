"""The house: imports run one way, without a circle and without hiding; nobody reads another package's private names."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import freemetric

ROOT = Path(freemetric.__file__).parent
BOTTOM = {
    *(
        "exceptions",
        "extras",
        "forking",
        "magnitudes",
        "presenting",
        "printable",
        "process_watchdog",
    ),
    *("sklearn_compat", "text_files", "_version"),
}
"""Modules beside the packages: small things that anybody may use, and that use nothing of ours."""

MAY_IMPORT = {
    "kernels": set(),
    "mc": set(),
    "energies": {"kernels"},
    "thermodynamics": {"mc", "energies"},
    "files": set(),
    "metrics": {"kernels", "energies", "files"},
    "learners": {"kernels", "mc", "energies", "thermodynamics", "metrics", "files"},
    "ensemble": {
        "learners",
        "kernels",
        "mc",
        "energies",
        "thermodynamics",
        "metrics",
        "files",
    },
    "metric_learn": {"learners", "metrics", "files"},
    "datasets": {"files"},
    "tabular": {"ensemble", "learners", "metrics", "files"},
    "bench": {
        "ensemble",
        "tabular",
        "learners",
        "metrics",
        "mc",
        "energies",
        "kernels",
        "datasets",
        "files",
    },
    "display": {"ensemble", "bench", "learners", "metrics", "thermodynamics"},
    "report": {"ensemble", "display", "learners", "metrics", "mc", "files"},
    "onnx_export": {"ensemble", "metric_learn", "learners", "metrics", "files"},
    "dask": {"ensemble", "kernels", "learners", "metrics"},
    "serve": {
        "ensemble",
        "tabular",
        "report",
        "display",
        "learners",
        "metrics",
        "files",
    },
    "cli": {
        *(
            "bench",
            "datasets",
            "demo",
            "display",
            "ensemble",
            "files",
            "learners",
            "metrics",
            "onnx_export",
            "report",
            "serve",
        ),
        "tabular",
    },
}
TOP = {"__init__", "__main__", "demo", "saved"}  # they put the house together


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def nodes_of(path):
    """All nodes of a file, which many tests look at."""
    return list(ast.walk(tree_of(path)))


def sources():
    return sorted(ROOT.rglob("*.py"))


def part_of(path):
    """The package or root module that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_modules(path):
    """Names of modules, from freemetric on, that a file imports by statement."""
    package = path.relative_to(ROOT.parent).with_suffix("").parts
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom):
            base = package[: -node.level] if node.level else ()
            parts = [*base, *(node.module.split(".") if node.module else [])]
            yield from ([*parts, alias.name] for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".") for alias in node.names)


def imported_parts(path):
    """Packages and root modules of freemetric that a file imports."""
    return {
        name[1]
        for name in imported_modules(path)
        if name[0] == "freemetric" and len(name) > 1
    }


def test_every_part_of_the_house_is_listed():
    assert {part_of(path) for path in sources()} == set(MAY_IMPORT) | BOTTOM | TOP


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_layers(part):
    files = [path for path in sources() if part_of(path) == part]
    assert files
    for path in files:
        assert imported_parts(path) <= MAY_IMPORT[part] | BOTTOM | {part}, path


@pytest.mark.parametrize("part", sorted(BOTTOM))
def test_the_bottom_stands_on_nothing(part):
    assert imported_parts(ROOT / f"{part}.py") <= BOTTOM


def test_there_is_no_circle():
    done = []
    todo = {part: set(others) for part, others in MAY_IMPORT.items()}
    while todo:
        free = [part for part, others in todo.items() if others <= {*done, "demo"}]
        assert free, f"these import each other in a circle: {sorted(todo)}"
        done += free
        todo = {part: others for part, others in todo.items() if part not in free}


def files_of(package):
    return [path for path in sources() if part_of(path) == package]


def test_no_modules_import_each_other_in_a_circle():
    """By any statement, also inside functions and for types alone; a package is its ``__init__.py``."""
    modules = {
        ".".join(path.relative_to(ROOT.parent).with_suffix("").parts): path
        for path in sources()
    }
    modules = {name.removesuffix(".__init__"): path for name, path in modules.items()}
    arrows = {
        name: {m for m in modules_of_ours(path, modules) if m != name}
        for name, path in modules.items()
    }
    assert arrows["freemetric.serve.jobs"] >= {
        "freemetric.serve.worker",
        "freemetric.tabular.limits",
    }  # in a function
    assert (
        "freemetric.ensemble.regressor"
        in arrows["freemetric.ensemble"] & arrows["freemetric.tabular.estimators"]
    )
    todo = set(modules)
    while todo:
        free = {name for name in todo if not arrows[name] & todo}
        assert free, (
            f"these modules import each other in a circle, or import such: {sorted(todo)[:10]}"
        )
        todo -= free


def modules_of_ours(path, modules):
    """The modules that a file imports."""
    for *package, name in imported_modules(path):
        full = ".".join([*package, name])
        yield from {full} & set(modules) or {".".join(package)} & set(modules)


DYNAMIC = {"import_module", "__import__", "find_spec", "load_module", "exec_module"}
MAY_BE_DYNAMIC = {
    "__init__.py": "what takes time or needs extras, when it is asked for",
    "bench/__init__.py": "the same, inside the laboratory",
    "extras.py": "libraries of an extra, or one line about how to get them",
    "kernels/__init__.py": "the kernels of a device",
}


def test_nobody_imports_our_own_modules_by_string():
    """What an import statement does not show, a name of ours in a string would."""
    packages = {part for part in MAY_IMPORT} | BOTTOM
    for path in sources():
        name = str(path.relative_to(ROOT))
        for node in nodes_of(path):
            if isinstance(node, ast.Call):
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if called in DYNAMIC:
                    assert MAY_BE_DYNAMIC.get(name), f"{name} imports by {called}"
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and name not in MAY_BE_DYNAMIC
            ):
                words = node.value.split(".")
                ours = (
                    words[0] == "freemetric"
                    and len(words) > 1
                    and words[1] in packages
                    and node.value.isprintable()
                )
                assert not (
                    ours and " " not in node.value and is_argument(path, node)
                ), f"{name}: {node.value!r}"


def is_argument(path, constant):
    """Whether a text is given to a call that could import it; texts in docstrings and messages are not."""
    calls = (node for node in nodes_of(path) if isinstance(node, ast.Call))
    loaders = DYNAMIC | {"require"}
    return any(
        constant in call.args
        and getattr(call.func, "attr", getattr(call.func, "id", "")) in loaders
        for call in calls
    )


def private(name):
    return name.startswith("_") and not name.startswith("__") and name != "_"


def defined_names(package):
    """Names that a package itself defines or sets: functions, classes, attributes of self and cls, fields."""
    names = {
        "_asdict",
        "_fields",
        "_replace",
    }  # of named tuples, where they are public by convention
    for path in files_of(package):
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                names.add(node.attr)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
            elif isinstance(node, ast.Assign):
                names |= {
                    target.id for target in node.targets if isinstance(target, ast.Name)
                }
    return names


def is_self(node):
    return (isinstance(node, ast.Name) and node.id in ("self", "cls")) or (
        isinstance(node, ast.Call) and getattr(node.func, "id", None) == "super"
    )


# numba has no public way to say which other files a cached function depends on, nor what to do without a place
NO_OTHER_WAY = {"compiling.py": {"_cache"}}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_nobody_reads_private_names_of_others(package):
    defined = defined_names(package)
    for path in files_of(package):
        own = defined | NO_OTHER_WAY.get(path.name, set())
        for node in nodes_of(path):
            if (
                isinstance(node, ast.Attribute)
                and private(node.attr)
                and not is_self(node.value)
            ):
                assert node.attr in own, f"{path.name}, line {node.lineno}: {node.attr}"
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                "getattr",
                "hasattr",
                "setattr",
            ):
                text = (
                    node.args[1].value if isinstance(node.args[1], ast.Constant) else ""
                )
                assert not private(str(text)) or text in own, (
                    f"{path.name}, line {node.lineno}: {text}"
                )


def test_private_names_of_scikit_learn_are_imported_in_one_place():
    for path in sources():
        if path.name == "sklearn_compat.py":
            continue
        for name in imported_modules(path):
            if name[0] == "sklearn":
                assert not any(private(part) for part in name), (
                    f"{path.name}: {'.'.join(name)}"
                )


def test_the_library_does_not_print():
    for path in sources():
        if path.name == "demo.py" or part_of(path) == "cli":
            continue
        calls = [n for n in nodes_of(path) if isinstance(n, ast.Call)]
        assert not [c for c in calls if getattr(c.func, "id", None) == "print"], (
            path.name
        )


SWITCHES = {
    "scaled",
    "logs",
    "quantiles",
    "steps",
    "whitened",
    "identity",
    "diagonal",
    "full",
}


def test_views_and_forms_are_distinguished_in_metrics_only():
    """No comparison with the name of a view or a form: whoever meets one asks it."""
    for path in sources():
        if part_of(path) == "metrics":
            continue
        for node in nodes_of(path):
            if not isinstance(node, ast.Compare):
                continue
            compared = [node.left, *node.comparators]
            about = ast.unparse(node)
            if "form" in about or "view" in about:
                texts = {
                    part.value for part in compared if isinstance(part, ast.Constant)
                }
                assert not texts & SWITCHES, f"{path.name}, line {node.lineno}: {about}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", ["freemetric.tabular", "freemetric.cli", "freemetric.bench.runner"]
)
def test_without_what_only_unix_has(module):
    hidden = "import sys; sys.modules.update(resource=None, fcntl=None)"
    subprocess.run(
        [sys.executable, "-c", f"{hidden}; import {module}"], check=True, timeout=120
    )
