"""What is asked for is imported, and no more: a name is cheap until it is used."""

import pickle
import subprocess
import sys

import pytest
from freemetric.tabular import methods
from freemetric.tabular.reading import FORMATS
from freemetric.tabular.writing import PACKERS, WRITTEN

import freemetric
from freemetric.cli import options as names

SLOW = ("numba", "numpy", "pandas", "scipy", "sklearn")


def imported(code, *words):
    """Which of the slow packages a program has imported when it ends, however it ends."""
    watched = f"import atexit, sys\natexit.register(lambda: print(*(n for n in {SLOW} if n in sys.modules)))\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", watched, *words],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


def test_the_package_alone_imports_nothing_slow():
    assert (
        imported("import freemetric; freemetric.__version__; dir(freemetric)") == set()
    )


@pytest.mark.parametrize("words", [["--version"], ["--help"]])
def test_first_words_of_the_command_line_import_nothing_slow(words):
    assert imported("from freemetric.cli import main; main()", *words) == set()


def test_the_help_of_every_command_imports_nothing_slow():
    code = """from freemetric.cli import app, main
from typer.main import get_command
for name in get_command(app).commands:
    sys.argv = ["freemetric", name, "--help"]
    try:
        main()
    except SystemExit as end:
        assert not end.code
"""
    assert imported(code) == set()


def test_names_in_help_are_those_of_the_library():
    assert tuple(FORMATS) == names.FORMATS
    assert (WRITTEN, tuple(PACKERS)) == (names.WRITTEN, names.PACKED)
    assert (methods.FITTED, tuple(methods.METHODS)) == (names.FITTED, names.METHODS)
    compared = tuple(
        name
        for name in names.METHODS
        if name in names.PAPER or name not in names.LEARNERS
    )
    assert compared == methods.COMPARED
    of_numbers = methods.REGRESSION_FITTED, tuple(methods.REGRESSION_METHODS)
    assert of_numbers == (names.REGRESSION_FITTED, names.REGRESSION_METHODS)


def test_a_mistyped_command_imports_nothing_slow():
    code = "from freemetric.cli import main\ntry: main()\nexcept SystemExit as end: sys.exit(end.code - 2)"
    assert imported(code, "fitt") == set()


@pytest.mark.slow
def test_numba_comes_with_the_first_fit():
    assert "numba" not in imported(
        "import freemetric.files, freemetric.datasets, freemetric; freemetric.NCA()"
    )
    fit = "freemetric.NCA(max_iter=1).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])"
    assert "numba" in imported(f"import freemetric; {fit}")


@pytest.mark.parametrize("name", freemetric.__all__)
def test_every_name_is_there(name):
    namespace: dict = {}
    exec(f"from freemetric import {name}", namespace)
    assert namespace[name] is getattr(freemetric, name)
    assert name in dir(freemetric)


def test_a_star_brings_all_names():
    namespace: dict = {}
    exec("from freemetric import *", namespace)
    assert set(freemetric.__all__) <= set(namespace)


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Oracle'"):
        freemetric.Oracle  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Oracle'"):
        exec("from freemetric import Oracle")


def test_the_names_for_type_checkers_are_those_that_are_there():
    import ast
    from pathlib import Path

    tree = ast.parse(Path(freemetric.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name for node in block.body for alias in node.names}
    assert seen | {"__version__"} == set(freemetric.__all__)


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", ["from freemetric.files import load", "from freemetric import load"]
)
def test_a_model_is_loaded_whatever_was_imported_before(way, wine, tmp_path):
    freemetric.PCA(2).fit(*wine).save(tmp_path / "wine.fm")
    code = f"import sys; {way}; print(load(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "wine.fm")],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "PCA(n_components=2)"), (
        done.stderr
    )


@pytest.mark.slow
def test_a_pickle_is_saved_by_a_process_that_imported_nothing(wine, tmp_path):
    (tmp_path / "wine.pickle").write_bytes(pickle.dumps(freemetric.PCA(2).fit(*wine)))
    code = "import pickle; pickle.load(open('wine.pickle', 'rb')).save('wine.fm')"
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], check=True, cwd=tmp_path
    )
    assert freemetric.load(tmp_path / "wine.fm").n_components == 2
