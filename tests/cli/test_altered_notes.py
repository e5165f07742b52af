"""Notes of a model and records of a bench as a stranger may have changed them: one line, never an exception of ours."""

import copy
import json

import pytest

from tests.bench.test_records import WHOLE
from tests.files.tampering import parts, seal

VALUES = [None, True, -1, 10**400, 1e308, "", "\x1b[2J\n", [], [[1]], {}, {"a": 1}, [None]]


def places(value, above=()):
    """Ways to every part of JSON values, of long lists only to the first parts."""
    if above:
        yield above
    parts_of = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, part in parts_of:
        yield from places(part, (*above, key))


def changed(value, place, part):
    value = copy.deepcopy(value)
    node = value
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = part
    return value


@pytest.mark.slow
def test_inspect(freemetric, home, tmp_path):
    header, tree, arrays = parts(home / "people.fm")
    answers = []
    for number, place in enumerate(places(header["about"])):
        part = VALUES[number % len(VALUES)]
        seal(tmp_path / "a.fm", changed(header, ("about", *place), part), tree, arrays)
        answer = freemetric("inspect", tmp_path / "a.fm")
        assert answer.code == 0 or len(answer.lines) == 1, (place, part)
        assert not any("Error" in line for line in answer.lines), (place, part)
        assert "\x1b[2J" not in answer.out
        answers.append(answer.code)
    assert len(set(answers)) == 2  # some notes may be anything


@pytest.mark.parametrize("value", [10**400, "x", None], ids=["huge", "text", "none"])
def test_weights(freemetric, home, tmp_path, value):
    header, tree, arrays = parts(home / "people.fm")
    seal(tmp_path / "a.fm", changed(header, ("about", "table", "weights", 0), value), tree, arrays)
    answer = freemetric("inspect", tmp_path / "a.fm")
    assert (answer.code, answer.lines) == (
        2,
        [f"{tmp_path / 'a.fm'}: a model, but not of a table; `freemetric fit` makes such"],
    )


@pytest.mark.parametrize(
    "which", ["errors", *(pytest.param(name, marks=pytest.mark.slow) for name in ("neighbors", "published"))]
)
def test_records_with_wrong_fields(freemetric, tmp_path, which):
    """They are named and left out; the others make the table."""
    (tmp_path / "iris").mkdir()
    (tmp_path / "iris" / "nca.default.0.1.json").write_text(json.dumps(WHOLE))
    for number, place in enumerate(places(WHOLE)):
        wrong = changed(WHOLE, place, VALUES[number % len(VALUES)])
        (tmp_path / "iris" / "nca.default.1.0.json").write_text(json.dumps(wrong))
        answer = freemetric("bench", "table", tmp_path, which)
        assert answer.code == 0, place
        assert all(line.startswith("iris/nca.default.1.0.json is not a whole record (") for line in answer.lines)
