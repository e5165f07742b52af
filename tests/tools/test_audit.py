"""The audit sees what happens: codes, times, sizes, and steps that go otherwise than wanted."""

import sys
from pathlib import Path

import pytest

environments = pytest.importorskip("environments", reason="tools are not part of an installed package")
audit_user = pytest.importorskip("audit_user")
first_hours = pytest.importorskip("first_hours")


@pytest.fixture
def here(tmp_path):
    """The environment of the tests, without making one."""
    environment = object.__new__(environments.Environment)
    environment.folder, environment.bin = tmp_path, Path(sys.executable).parent
    return environment


def python(code, **wanted):
    return first_hours.Step("a step", [Path(sys.executable).name, "-c", code], **wanted)


def test_what_a_command_does_is_seen(here):
    seen = here.call([Path(sys.executable).name, "-c", "import sys; print('out'); sys.exit('err')"])
    assert (seen.code, seen.out, seen.err, seen.said) == (1, "out\n", "err\n", "err")
    assert 0 < seen.seconds < 60


def test_what_takes_too_long_is_ended(here):
    assert here.call([Path(sys.executable).name, "-c", "import time; time.sleep(99)"], timeout=0.5).code == 124


@pytest.mark.slow
def test_ctrl_c_is_pressed_and_the_clock_starts_there(here):
    code = "import time, sys\ntry: time.sleep(99)\nexcept KeyboardInterrupt: sys.exit(130)"
    seen = here.call([Path(sys.executable).name, "-c", code], interrupt=1.5)
    assert seen.code == 130
    assert seen.seconds < 1.5


def test_sizes_are_counted_by_package(here, tmp_path):
    packages = tmp_path / "lib" / "site-packages"
    for name, size in {
        "numpy/core.so": 3,
        "numpy.libs/blas.so": 4,
        "numpy-2.0.dist-info/RECORD": 1,
        "six.py": 2,
    }.items():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_bytes(b"x" * size * 10**6)
    assert here.megabytes() == {"numpy": 8, "six.py": 2}


@pytest.mark.parametrize(
    ("step", "fine"),
    [
        (python("print('hello')", says="hello"), True),
        (python("print('hello')", says="goodbye"), False),
        (python("import sys; sys.exit(2)", wanted=2), True),
        (python("import sys; sys.exit(2)"), False),
        (python("import time; time.sleep(0.3)", seconds=0.1), False),
    ],
)
def test_a_step_that_goes_otherwise_is_reported(step, fine, here, tmp_path, capsys):
    found = audit_user.taken(here, step, Path("x.whl"), tmp_path)
    assert found["fine"] is fine
    assert capsys.readouterr().out.split()[0] == ("ok" if fine else "BAD")


def test_people_have_steps_and_files(tmp_path):
    import warnings

    from freemetric.tabular import read

    assert len({person.name for person in first_hours.PEOPLE}) == 3
    assert all(person.steps for person in first_hours.PEOPLE)
    (tmp_path / "penguins.csv").write_text(first_hours.penguins())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # notes on how it was read
        table = read(tmp_path / "penguins.csv")
    assert (table.n_rows, len(table.columns)) == (240, 6)
