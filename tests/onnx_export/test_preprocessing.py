"""Tables with names and gaps are treated in the runtime as scikit-learn treats them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, QuantileTransformer

from freemetric import Euclidean, MetricKNeighborsClassifier
from freemetric.onnx_export import to_onnx

from .runtime import about, answer


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "length (cm)": rng.random(80).round(2),
            "length_cm_": 1e9 + rng.random(80),
            "age": rng.integers(1, 6, 80),
            "colour": rng.choice(["red", "green", "blue", "grey"], 80, p=[0.45, 0.45, 0.05, 0.05]),
            "shape": rng.choice(["round", "flat", None], 80),
            "size": rng.choice(["small", "large"], 80),
            "code": [f"c{i}" for i in range(80)],
        }
    )
    X.loc[::7, "length (cm)"] = np.nan
    return X, np.where(X["length_cm_"] > 1e9 + 0.5, "yes", "no")


@pytest.fixture
def new(table):
    """The table upside down, with categories nobody has seen and more gaps."""
    X = table[0][::-1].reset_index(drop=True)
    X.loc[0, ["length (cm)", "length_cm_"]] = np.nan
    X.loc[1, "colour"], X.loc[2, "shape"], X.loc[3, "age"] = "mauve", "odd", 77
    return X


def filled(encoder):
    """Unknown names and gaps are NaN after this encoder; numbers follow."""
    return make_pipeline(encoder, SimpleImputer(strategy="most_frequent"))


CODES = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
STEPS = {
    "median": (SimpleImputer(strategy="median", add_indicator=True), ["length (cm)", "length_cm_"]),
    "nothing is missing": (SimpleImputer(add_indicator=True), ["age"]),
    "gaps": (MissingIndicator(features="all"), ["length (cm)", "age"]),
    "numbers of names": (filled(CODES), ["colour", "shape"]),
    "a number for gaps": (
        make_pipeline(
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-2, encoded_missing_value=-1),
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
        ),
        ["shape", "colour"],
    ),
    "indicators": (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["colour", "shape", "age"]),
    "one of each dropped": (
        make_pipeline(filled(CODES), OneHotEncoder(drop=[0.0, 2.0], sparse_output=False)),
        ["size", "colour"],
    ),
    "one of two dropped": (
        make_pipeline(filled(CODES), OneHotEncoder(drop="if_binary", max_categories=3, sparse_output=False)),
        ["colour", "size", "shape"],
    ),
    "rare ones together": (
        OneHotEncoder(min_frequency=0.2, handle_unknown="infrequent_if_exist", sparse_output=False),
        make_column_selector("colour"),
    ),
    "quantiles": (
        make_pipeline(SimpleImputer(), QuantileTransformer(n_quantiles=20)),
        ["length (cm)", "length_cm_", "age"],
    ),
    "by position": (MinMaxScaler(), [2]),
}


@pytest.mark.parametrize("name", STEPS)
def test_step(name, table, new):
    model = make_pipeline(make_column_transformer(STEPS[name]), Euclidean()).fit(*table)
    made = to_onnx(model)
    for X in (table[0], new):
        np.testing.assert_allclose(answer(made, X)[0], model.transform(X), rtol=1e-12, atol=1e-12)
    assert "code" not in about(made)["columns"]


def test_all_of_a_table(table, new):
    steps = [STEPS[name] for name in ("median", "one of two dropped", "by position")]
    columns = make_column_transformer(*steps, (OrdinalEncoder(), ["size"]))
    model = make_pipeline(columns, MinMaxScaler(), MetricKNeighborsClassifier(Euclidean(), 3)).fit(*table)
    made = to_onnx(model)
    assert about(made) == {
        "classes": ["no", "yes"],
        "columns": ["length (cm)", "length_cm_", "age", "colour", "shape", "size"],
    }
    label, probabilities = answer(made, new)
    assert label.tolist() == model.predict(new).tolist()
    np.testing.assert_allclose(probabilities, model.predict_proba(new), atol=1e-12)


@pytest.mark.parametrize(
    ("step", "columns", "reason"),
    [
        (QuantileTransformer(n_quantiles=9, output_distribution="normal"), ["age"], "uniform"),
        (SimpleImputer(missing_values=3), ["age"], "NaN in every feature"),
        (MissingIndicator(missing_values=3), ["age"], "NaN is what is missing"),
        (filled(OrdinalEncoder(max_categories=2)), ["colour"], "without infrequent categories"),
    ],
)
def test_refusals(step, columns, reason, table):
    model = make_pipeline(make_column_transformer((step, columns)), Euclidean()).fit(*table)
    with pytest.raises(ValueError, match=rf"^Pipeline cannot be exported: .*{reason}[^\n]*$"):
        to_onnx(model)


def test_texts_without_names_of_columns(table):
    X, y = table
    model = make_pipeline(OrdinalEncoder(), Euclidean()).fit(X[["colour", "size"]].to_numpy(), y)
    with pytest.raises(ValueError, match=r"cannot be exported: texts are exported where .* DataFrame$"):
        to_onnx(model)
