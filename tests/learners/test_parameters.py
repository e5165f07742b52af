"""Parameters of estimators: fields make constructors and constraints, docstrings describe every one of them."""

import dataclasses
import inspect
import re
from dataclasses import KW_ONLY

import pytest
from sklearn.base import BaseEstimator, clone

import freemetric
from freemetric import metric_learn
from freemetric.learners.parameters import DESCRIPTIONS, NotNegativeOrAuto, Positive, estimator, parameter
from freemetric.learners.parameters import described as described_by
from freemetric.sklearn_compat import validate_params

OTHERS = ["Kernelized", "MetricKNeighborsClassifier", "MetricKNeighborsRegressor", "MLKR", "PairClassifier"]
ESTIMATORS = {
    **{cls.__name__: cls for cls in freemetric.LEARNERS.values()},
    **{name: getattr(freemetric, name) for name in (*OTHERS, "TripletClassifier", "QuadrupletClassifier")},
}
TRANSLATED = {
    f"metric_learn.{name}": getattr(metric_learn, name) for name in metric_learn.__all__ if name != "Constraints"
}


def described(cls):
    """Names in the section "Parameters", and the defaults it gives."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-|\Z)", inspect.getdoc(cls), re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^(\w+) : (.*)$", section[1] if section else "", re.MULTILINE)
    return {name: kind.partition("default=")[2] for name, kind in heads}


@pytest.mark.parametrize("cls", (ESTIMATORS | TRANSLATED).values(), ids=(ESTIMATORS | TRANSLATED).keys())
def test_every_parameter_is_described_in_order_with_its_default(cls):
    parameters = inspect.signature(cls).parameters
    found = described(cls)
    assert list(found) == list(parameters)
    for name, field in parameters.items():
        if field.default is not inspect.Parameter.empty:
            said = {"None": None, "True": True, "False": False}.get(found[name], found[name])
            same = said is field.default or found[name].strip('"') == str(field.default)
            assert same or float(found[name]) == field.default, name


@pytest.mark.parametrize("cls", (ESTIMATORS | TRANSLATED).values(), ids=(ESTIMATORS | TRANSLATED).keys())
def test_no_name_in_braces_is_left(cls):
    assert not re.findall(rf"\{{(?:{'|'.join(DESCRIPTIONS)})\}}", cls.__doc__)


def test_docstrings_are_the_same_with_and_without_indent():
    """Python has none of it since 3.13; attributes that files may hold are read from there."""
    text = """A class.

    Parameters
    ----------
    {n_components} {random_state}

    Attributes
    ----------
    {features}
    """
    as_of_3_13, before = (described_by(text, DESCRIPTIONS, {}) for text in (inspect.cleandoc(text), text))
    assert as_of_3_13 == before
    assert re.findall(r"^(\w+) :", before, re.MULTILINE) == [
        *("n_components", "random_state", "n_features_in_", "feature_names_in_")
    ]


@pytest.mark.parametrize("cls", (ESTIMATORS | TRANSLATED).values(), ids=(ESTIMATORS | TRANSLATED).keys())
def test_docstrings_have_no_indent_and_no_missing_default(cls):
    assert cls.__doc__ == inspect.cleandoc(cls.__doc__)
    assert "MISSING" not in cls.__doc__
    assert re.search(r"^components_ :|^classes_ :|^learner_ :|^n_features_in_ :", cls.__doc__, re.MULTILINE)


@pytest.mark.parametrize("cls", ESTIMATORS.values(), ids=ESTIMATORS.keys())
def test_every_parameter_has_a_constraint(cls):
    assert set(inspect.signature(cls).parameters) <= set(cls._parameter_constraints)


@estimator
class Small(BaseEstimator):
    """An estimator.

    Parameters
    ----------
    {directions}
    width : float, default=2.0
        Of something in {braces}.
    """

    n_components: int | None = None
    _: KW_ONLY
    width: Positive = 2.0


def test_fields_are_parameters():
    assert str(inspect.signature(Small)) == "(n_components=None, *, width=2.0)"
    assert clone(Small(3, width=1)).get_params() == {"n_components": 3, "width": 1}
    with pytest.raises(TypeError):
        Small(3, 1)


def test_values_are_stored_as_they_are_and_checked_later():
    with pytest.raises(ValueError, match="'width' parameter of Small must be"):
        validate_params(Small(width=-1))
    with pytest.raises(ValueError, match="'n_components' parameter of Small must be"):
        validate_params(Small(0))


def test_libraries_that_rebuild_dataclasses_leave_it_alone():
    assert not dataclasses.is_dataclass(Small)
    assert not hasattr(Small, "width")


def test_descriptions_stand_in_the_docstring():
    assert "n_components : int or None, default=None\n    Directions to keep" in Small.__doc__
    assert "{braces}" in Small.__doc__


@estimator
class Documented(BaseEstimator):
    """An estimator whose fields say everything.

    {map} {features}

    References
    ----------
    Nobody.

    {iris}
    """

    n_components: int | None = parameter(None, "{directions}")
    _: KW_ONLY
    learner: object
    width: NotNegativeOrAuto = parameter("auto", "Of something.")
    random_state: object = None


def test_fields_make_the_section_of_parameters():
    assert re.findall(r"^(\w+)\n-+$", Documented.__doc__, re.MULTILINE) == [
        *("Parameters", "Attributes", "References", "Examples")
    ]
    heads = [line for line in Documented.__doc__.splitlines() if " : " in line]
    assert heads[:4] == [
        "n_components : int or None, default=None",
        "learner : estimator with fit and transform",
        'width : float or "auto", default="auto"',
        "random_state : int, RandomState or None, default=None",
    ]
    assert "    Of something.\n" in Documented.__doc__
    assert not re.findall(r"\{\w+\}", Documented.__doc__)
