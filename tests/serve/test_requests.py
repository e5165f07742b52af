"""What the page may send."""

import json
import re

import pytest

from freemetric.serve.app import script
from freemetric.serve.folders import RefusedError
from freemetric.serve.requests import (
    FITTED,
    METHODS,
    REGRESSION_FITTED,
    REGRESSION_METHODS,
    TASKS,
    Choices,
    comparison_settings,
    fit_settings,
)
from freemetric.tabular import methods, tasks


def test_choices_go_round():
    choices = Choices.from_json(
        {"target": "y", "uses": {"a": "drop", "y": "keep"}, "reading": {"decimal": ",", "sheet": ""}}
    )
    assert choices == Choices("y", {"a": "drop", "y": "keep"}, {"decimal": ","})
    assert choices.kinds == {"drop": ["a"], "keep": [], "numeric": [], "nominal": []}


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {"target": 3},
        {"task": "cluster"},
        {"task": ["regress"]},
        {"uses": []},
        {"uses": {"a": "eval"}},
        {"uses": {"a": ["drop"]}},
        {"reading": {"path": "/etc/passwd"}},
        {"reading": {"decimal": 3}},
        {"reading": {"encoding": "x" * 100_000}},
    ],
)
def test_other_choices_are_refused(content):
    with pytest.raises(RefusedError):
        Choices.from_json(content)


@pytest.mark.parametrize(
    "content",
    [
        {"method": "rf"},
        {"method": ["nca"]},
        {"seed": -1},
        {"seed": 0.5},
        {"seed": True},
        {"jobs": 10**9},
        {"jobs": "2"},
    ],
)
def test_other_settings_of_a_fit_are_refused(content):
    with pytest.raises(RefusedError):
        fit_settings(content)


@pytest.mark.parametrize(
    "content", [{"methods": []}, {"methods": "rf"}, {"methods": ["x"]}, {"folds": 1}, {"repeats": 99}]
)
def test_other_settings_of_a_comparison_are_refused(content):
    with pytest.raises(RefusedError):
        comparison_settings(content)


def test_the_page_offers_methods_that_there_are():
    assert set(FITTED) <= set(methods.FITTED)
    assert set(METHODS) <= set(methods.METHODS)
    assert set(REGRESSION_FITTED) <= set(methods.REGRESSION_FITTED)
    assert set(REGRESSION_METHODS) <= set(methods.REGRESSION_METHODS)
    assert tuple(tasks.TASKS) == TASKS
    offered = script().partition("const TASKS = {")[2].partition("const USUAL")[0]
    lists = [set(json.loads(found)) for found in re.findall(r"(?:fitted|compared): (\[.*?\])", offered)]
    assert lists == [set(FITTED), set(METHODS), set(REGRESSION_FITTED), set(REGRESSION_METHODS)]
