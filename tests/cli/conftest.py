import numpy as np
import pandas as pd
import pytest

from freemetric.cli import main


@pytest.fixture(scope="session")
def people():
    """A table of texts, money, dates and gaps, with a class and a number."""
    rng = np.random.default_rng(0)
    n = 90
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    size = rng.normal(size=n).round(3)
    return pd.DataFrame(
        {
            "price": [f"${number:,.0f}" for number in rng.uniform(1e3, 9e4, n)],
            "colour": rng.choice(["red", "blue", ""], n),
            "since": days.strftime("%d.%m.%Y"),
            "size": size,
            "class": np.where(size > 0, "yes", "no"),
            "income": (100 * size + rng.normal(size=n)).round(2),
        }
    )


@pytest.fixture(scope="session")
def home(people, tmp_path_factory):
    """A folder with the table and with a model of each kind."""
    folder = tmp_path_factory.mktemp("home")
    people.to_csv(folder / "people.csv", index=False)
    for target, other in (("class", "income"), ("income", "class")):
        words = ["fit", folder / "people.csv", "--target", target, "--drop", other]
        words += ["-o", folder / f"{target}.fm", "--replicas", 4]
        main([str(word) for word in words])
    return folder


@pytest.fixture
def run(capsys):
    """A function that runs a command: it returns the exit code and both outputs."""

    def run(*words):
        capsys.readouterr()
        code = 0
        try:
            main([str(word) for word in words])
        except SystemExit as stopped:
            code = stopped.code
        output = capsys.readouterr()
        return code, output.out, output.err

    return run
