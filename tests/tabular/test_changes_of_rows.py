"""Counterfactuals and drift of tables: columns by their names, cells as they are written."""

import numpy as np
import pandas as pd
import pytest

from freemetric import NCA, FreeEnergyClassifier, TableClassifier


def table(rng, n):
    frame = pd.DataFrame(
        {
            "income": rng.integers(10, 90, n),
            "region": rng.choice(["north", "south", "west"], n),
            "age": rng.integers(18, 80, n),
            "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        }
    )
    frame.loc[rng.choice(n, n // 20, replace=False), "age"] = np.nan
    return frame, np.where((frame["income"] > 50) & (frame["region"] != "west"), "yes", "no")


@pytest.fixture(scope="module")
def fitted():
    X, y = table(np.random.default_rng(0), 240)
    return TableClassifier(FreeEnergyClassifier(n_replicas=8), random_state=0).fit(X, y)


def test_changes_in_the_words_of_the_table(fitted):
    X, _ = table(np.random.default_rng(1), 20)
    refused = X[fitted.predict(X) == "no"]
    changes = fitted.counterfactual(refused, "yes", fixed=["region"], monotone={"income": 1})
    done = refused.copy().reset_index(drop=True)
    known = [i for i, change in enumerate(changes) if change is not None]
    assert len(known) >= 3
    for i in known:
        assert changes[i]
        assert "region" not in changes[i]
        for column, (before, after) in changes[i].items():
            assert str(before) == str(refused[column].iloc[i]) or float(before) == float(refused[column].iloc[i])
            done.loc[i, column] = after
            assert column != "income" or after > before
    assert (fitted.predict(done.iloc[known]) == "yes").all()


def test_a_row_of_the_class_needs_no_change(fitted):
    X, _ = table(np.random.default_rng(2), 20)
    accepted = X[fitted.predict(X) == "yes"]
    assert fitted.counterfactual(accepted, "yes") == [{}] * len(accepted)


def test_drift_names_columns(fitted):
    (old, _), (new, _) = table(np.random.default_rng(3), 90), table(np.random.default_rng(4), 90)
    assert fitted.drift(old, new, n_permutations=99).p_value > 0.01
    new["region"] = "west"
    drift = fitted.drift(old, new)
    assert drift.p_value < 0.01
    assert drift.changed().tolist() == ["region"]
    assert set(drift.names) <= set(old.columns)


def test_only_where_the_last_step_can():
    assert not hasattr(TableClassifier(NCA()), "drift")
    assert not hasattr(TableClassifier(NCA()), "counterfactual")
