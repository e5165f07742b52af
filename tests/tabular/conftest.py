import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def mixed():
    """Numbers, numbers with gaps, names, names with gaps and a class that depends on some of them."""
    rng = np.random.default_rng(0)
    n = 80
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n).round(6),
            "age": rng.integers(20, 60, n).astype(float),
            "colour": rng.choice(["red", "green", "blue"], n),
            "sex": rng.choice(["male", "female"], n),
            "town": rng.choice(["Rome", "Bonn"], n),
        }
    )
    frame["class"] = np.where(frame["size"] + (frame["colour"] == "red") > 0.3, "yes", "no")
    frame.loc[::5, "age"] = np.nan
    frame["town"] = frame["town"].astype(object)
    frame.loc[::7, "town"] = None
    return frame


@pytest.fixture
def written(mixed, tmp_path):
    path = tmp_path / "mixed.csv"
    mixed.to_csv(path, index=False)
    return path
