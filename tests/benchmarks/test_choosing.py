"""The halves are what they should be, and the confirming one is looked at once."""

import argparse

import pandas as pd
import pytest

from freemetric import Recipe
from freemetric.datasets import info, list_datasets

choosing = pytest.importorskip("choosing", reason="benchmarks are not part of an installed package")
variants = pytest.importorskip("variants")


def line(stage, change="dict(n_steps=9)", fingerprint="f", **more):
    return {"date": "2026-01-01", "change": change, "stage": stage, "sources": fingerprint, **more}


def test_halves_are_the_small_sets():
    small = {name for name in list_datasets() if info(name).rows < 3000}
    assert set(choosing.CHOOSING) | set(choosing.CONFIRMING) == small
    assert not set(choosing.CHOOSING) & set(choosing.CONFIRMING)
    assert len(choosing.CHOOSING) + len(choosing.CONFIRMING) == len(small) == 29


def test_halves_are_alike():
    table = pd.DataFrame(
        [(info(n).rows, bool(info(n).nominal), info(n).classes > 2, n in choosing.CHOOSING) for n in list_datasets()],
        index=list_datasets(),
        columns=["rows", "nominal", "many", "choosing"],
    ).loc[list(choosing.CHOOSING + choosing.CONFIRMING)]
    means = table.groupby("choosing").mean()
    assert abs(means["nominal"].diff().iloc[1]) < 0.05
    assert abs(means["many"].diff().iloc[1]) < 0.05
    medians = table.groupby("choosing")["rows"].median()
    assert 0.5 < medians[True] / medians[False] < 2


def test_what_is_confirmed_was_chosen_and_is_confirmed_once():
    with pytest.raises(SystemExit, match="--choose it first"):
        choosing.may_confirm([], "dict(n_steps=9)", "f")
    with pytest.raises(SystemExit, match="--choose it first"):
        choosing.may_confirm([line("choose", fingerprint="other code")], "dict(n_steps=9)", "f")
    assert choosing.may_confirm([line("choose")], "dict(n_steps=9)", "f")["stage"] == "choose"
    with pytest.raises(SystemExit, match="once"):
        choosing.may_confirm([line("choose"), line("confirm")], "dict(n_steps=9)", "f")


def test_a_change_has_one_name_however_it_is_written():
    name = variants.canonical("dict(n_steps=9,  n_replicas=60)")
    assert name == variants.canonical("{'n_replicas': 60, 'n_steps': 9}") == "dict(n_replicas=60, n_steps=9)"
    assert variants.changed_recipe(name) == Recipe(n_replicas=60, n_steps=9)
    assert variants.canonical(choosing.DEFAULT) == choosing.DEFAULT


def test_comparison_is_paired():
    default = pd.Series({"a": 10.0, "b": 20.0, "c": 30.0, "only here": 0.0})
    result = choosing.compared(default, pd.Series({"a": 9.0, "b": 18.0, "c": 30.0}))
    assert (result["pairs"], result["default"], result["changed"], result["difference"]) == (3, 20.0, 19.0, -1.0)
    assert result["wins_ties_losses"] == [2, 1, 0]


@pytest.mark.parametrize(
    ("sets", "zoo", "goal", "expected"),
    [
        (-0.1, 0.0, "better", True),
        (0.05, 0.0, "better", False),
        (0.05, 0.0, "cheaper", True),
        (-1, 0.5, "better", False),
    ],
)
def test_a_change_must_hold_on_the_sets_and_the_zoo(sets, zoo, goal, expected):
    result = {"confirming": {"error": {"difference": sets}}, "zoo": {"difference": zoo, "standard_error": 0.1}}
    assert choosing.holds(result, goal) is expected


@pytest.mark.slow
def test_choice_and_confirmation_are_recorded(tmp_path, monkeypatch, capsys):
    """On one set and one problem, with recipes that cost nothing."""
    monkeypatch.setattr(choosing, "CHOOSING", ("wine",))
    monkeypatch.setattr(choosing, "CONFIRMING", ("iris",))
    monkeypatch.setattr(choosing, "PROBLEMS", {"few-rows": None})
    monkeypatch.setattr(choosing, "REPEATS", 1)
    monkeypatch.setattr(choosing, "ZOO_SIZES", (60,))
    monkeypatch.setattr(choosing, "DEFAULT", "dict(candidates=('scaled/diagonal',), n_replicas=2, n_steps=1)")
    change, log = "dict(candidates=('scaled/diagonal',), n_replicas=2, n_steps=2)", tmp_path / "choices.jsonl"
    arguments = argparse.Namespace(
        choices=log, records=tmp_path / "fits", before=None, data_home=None, jobs=1, goal="cheaper", large=False
    )
    for stage in ("choose", "confirm"):
        choosing.append(log, choosing.compare_change(change, stage, arguments))
    chosen, confirmed = choosing.read_choices(log)
    assert (chosen["stage"], chosen["number"], chosen["choosing"]["error"]["pairs"]) == ("choose", 1, 1)
    assert confirmed["choosing"] == chosen["choosing"]
    assert confirmed["zoo"]["pairs"] == confirmed["confirming"]["error"]["pairs"] == 1
    assert confirmed["holds"] in (True, False)
    choosing.show([chosen, confirmed])
    assert capsys.readouterr().out.count(change) == 2


def test_large_sets_are_chosen_and_confirmed_by_themselves():
    line = {"change": "dict()", "stage": "choose", "sources": "a"}
    assert choosing.earlier([line], "dict()", "choose", "a") is line
    assert choosing.earlier([line], "dict()", "choose", "a", large=True) is None
    assert choosing.earlier([line | {"large": True}], "dict()", "choose", "a") is None
    found = {"confirming": {"error": {"difference": 0.05}}}
    assert choosing.holds(found, "cheaper")
    assert not choosing.holds(found, "better")
    assert not set(choosing.LARGE[0]) & set(choosing.LARGE[1])
