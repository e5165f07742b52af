"""Methods of other libraries and tables with categories: what they get and predict."""

import numpy as np
import pandas as pd
import pytest

mixed_data = pytest.importorskip("mixed_data", reason="benchmarks are not installed")
import mixed  # noqa: E402
import mixed_methods  # noqa: E402

HERE = ["freemetric", "forest", "hist-boosting"]
OTHERS = ["lightgbm", "catboost"]


@pytest.fixture
def table(rng):
    """Numbers and names with gaps; the class depends on both."""
    n = 160
    X = pd.DataFrame({"x": rng.normal(size=n), "name": rng.choice(list("abc"), n)})
    y = ((X["x"] > 0) ^ (X["name"] == "a")).to_numpy().astype(int)
    X.loc[::9, "x"] = np.nan
    X.loc[::11, "name"] = None
    X["name"] = X["name"].astype("category")
    return X, y


@pytest.mark.slow
@pytest.mark.parametrize("name", HERE + OTHERS)
@pytest.mark.parametrize("task", ["Classifier", "Regressor"])
def test_methods_of_mixed_tables(name, task, table, monkeypatch):
    monkeypatch.setattr(mixed_methods, "N_TREES", 50)
    package = mixed_methods.package_of(name)
    if package:
        pytest.importorskip(package)
    X, y = table
    y = y if task == "Classifier" else y + 0.1 * np.arange(len(y)) % 1
    model = mixed_methods.METHODS[name](0, task).fit(X[:120], y[:120])
    predicted = model.predict(X[120:])
    assert predicted.shape == (40,)
    if task == "Classifier":
        assert (predicted == y[120:]).mean() > 0.7
        P = model.predict_proba(X[120:])
        np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-5)


def test_a_method_without_its_package_is_named(monkeypatch, capsys):
    monkeypatch.setattr(mixed, "find_spec", lambda name: None)
    names = ["forest", "tabm-bagged", "catboost"]
    assert mixed.are_here(names) == ["forest"]
    text = capsys.readouterr().out
    assert "tabm-bagged needs pytabkit" in text
    assert "catboost needs catboost" in text


def test_every_table_has_a_licence_and_a_target_of_its_own():
    assert len(mixed_data.TABLES) == 42
    for table in mixed_data.TABLES.values():
        assert table.license
        assert table.target not in table.dropped
        assert table.task in ("classification", "regression")


@pytest.mark.parametrize("name", mixed_data.TABLES)
def test_tables_hold_what_the_registry_says(name):
    if not mixed_data.is_installed(name):
        pytest.skip(f"{mixed_data.TABLES[name].package} is not installed")
    table = mixed_data.TABLES[name]
    X, y, classes = mixed_data.load_table(name)
    assert 200 <= len(X) == len(y) <= mixed_data.MOST_ROWS
    assert not {table.target, *table.dropped} & set(X)
    kinds = {str(kind) for kind in X.dtypes}
    assert kinds <= {"category", "float64"}
    if classes is not None:
        assert sorted(set(y)) == list(range(len(classes)))


def test_columns_are_numbers_or_categories():
    typed = mixed_data.typed
    assert typed(pd.Series([1, None, 3]), False).dtype == np.float64
    assert typed(pd.Series([True, False]), False).dtype == "category"
    codes = typed(pd.Series([1, 2, None]), True)
    assert codes.dtype == "category"
    assert codes.isna().tolist() == [False, False, True]
