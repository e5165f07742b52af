"""Functions that look at models take models of tables, too."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from freemetric import RCA, FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.inspection import counterfactuals, explain, label_quality, novelty
from freemetric.tables import TableClassifier, TableRegressor

RNG = np.random.default_rng(0)
COLOURS = RNG.choice(["red", "blue"], 80)
FRAME = pd.DataFrame({"size": RNG.normal(size=80), "colour": COLOURS})
LABELS = np.where(FRAME["size"] + (COLOURS == "red") > 0.4, "yes", "no")
CLASSIFIER = TableClassifier(FreeEnergyClassifier(6, random_state=0))
REGRESSOR = TableRegressor(FreeEnergyRegressor(6, random_state=0))


@pytest.mark.parametrize(
    ("model", "y"), [(CLASSIFIER, LABELS), (REGRESSOR, FRAME["size"] * 2 + 1)]
)
def test_a_table_is_explained_by_its_features(model, y):
    model.fit(FRAME, y)
    encoder, inner = model.pipeline_
    features = encoder.transform(FRAME)
    found = dataclasses.asdict(explain(model, FRAME.head(5)))
    expected = dataclasses.asdict(explain(inner, features[:5]))
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values)
    np.testing.assert_array_equal(novelty(model, FRAME), novelty(inner, features))
    with pytest.raises(TypeError, match=r"give model.pipeline_\[-1\]"):
        counterfactuals(model, FRAME.head(2))


@pytest.mark.parametrize("function", [explain, novelty, counterfactuals])
def test_models_that_are_no_ensembles(function):
    for model in (RCA(), make_pipeline(StandardScaler(), FreeEnergyClassifier(4))):
        fitted = model.fit(FRAME[["size"]], LABELS)
        with pytest.raises(TypeError, match=r"FreeEnergyClassifier.* is none"):
            function(fitted, FRAME[["size"]])


def test_numbers_have_no_other_class():
    model = FreeEnergyRegressor(4, random_state=0).fit(FRAME[["size"]], FRAME["size"])
    with pytest.raises(TypeError, match="this model has none"):
        counterfactuals(model, FRAME[["size"]])


def test_labels_of_a_table():
    model = CLASSIFIER.fit(FRAME, LABELS)
    expected = label_quality(model.pipeline_[-1], LABELS)
    np.testing.assert_array_equal(label_quality(model, LABELS), expected)
    model = REGRESSOR.fit(FRAME, FRAME["size"])
    with pytest.raises(TypeError, match="FreeEnergyRegressor has none"):
        label_quality(model, LABELS)
