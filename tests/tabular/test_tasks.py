"""Whether a target is one of classes or a number is seen as people mean it."""

import numpy as np
import pytest

from freemetric.tabular import InputError, Table
from freemetric.tabular.table import objects
from freemetric.tabular.tasks import choice_of

RNG = np.random.default_rng(0)
TARGETS = {
    "names": (["red", "green"] * 20, "classify"),
    "zeros and ones": (["0", "1"] * 20, "classify"),
    "zeros and ones as floats": (np.array([0.0, 1.0] * 20), "classify"),
    "plus and minus": (["-1", "1"] * 20, "classify"),
    "truth values": (["True", "False"] * 20, "classify"),
    "ratings": ([str(1 + i % 5) for i in range(60)], "classify"),
    "quality": (np.clip(np.round(RNG.normal(5.6, 0.8, 1500)), 3, 8), "classify"),
    "half ratings": ([str(1 + (i % 9) / 2) for i in range(90)], "regress"),
    "months": ([str(1 + i % 12) for i in range(240)], "classify"),
    "letters by number": ([str(i % 26) for i in range(520)], "classify"),
    "forty faces, ten pictures each": ([str(i % 40) for i in range(400)], "classify"),
    "twelve numbers of no classes": ([str(3 * (i % 12)) for i in range(240)], "regress"),
    "years": ([str(1995 + i % 26) for i in range(520)], "regress"),
    "ages": (RNG.integers(18, 80, 500).astype(float), "regress"),
    "counts": (RNG.poisson(6, 2000).astype(float), "regress"),
    "counts of which few are large": (
        np.repeat(np.arange(12.0), [40, 80, 90, 70, 50, 30, 20, 10, 5, 3, 1, 1]),
        "regress",
    ),
    "ratings of which few are bad": (np.repeat(np.arange(1.0, 6), [3, 9, 30, 25, 8]), "classify"),
    "prices": ([f"{price:.2f}" for price in RNG.lognormal(5, 1, 50)], "regress"),
    "prices without decimals": ([str(round(price)) for price in RNG.lognormal(9, 1, 50)], "regress"),
    "German prices": ([f"{price:.2f}".replace(".", ",") for price in RNG.lognormal(3, 1, 50)], "regress"),
    "prices with gaps": (["1.5", None, "2.5", None, "7"] * 4, "regress"),
    "few rows, all different": (["11", "7", "15", "28"], "regress"),
    "postcodes": ([f"0{1000 + i % 30}" for i in range(120)], "classify"),
    "dates": ([f"2020-01-{1 + i % 28:02}" for i in range(120)], "classify"),
    "classes that cannot be read in one way": (["1,234", "2,345"] * 20, "classify"),
}


def table(cells, **more):
    cells = cells if isinstance(cells, np.ndarray) else objects(cells)
    return Table("a.csv", {"y": cells}, **more)


@pytest.mark.parametrize("name", TARGETS)
def test_what_a_target_is(name):
    cells, task = TARGETS[name]
    found = choice_of(table(cells), "y")
    assert found.task == task
    if task == "regress":
        assert found.why.startswith("a.csv: column 'y' is predicted as a number (")
        assert found.why.endswith("; --task classify takes them for classes")
    assert choice_of(table(cells), "y", "classify") == ("classify", "")
    assert choice_of(table(cells), "y", "regress") == ("regress", "")


def test_what_a_file_declares_counts():
    assert choice_of(table([f"{i}.5" for i in range(30)], kinds={"y": "nominal"}), "y").task == "classify"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            [f"{i},{i + 100}" for i in range(1, 40)],
            "'1,101' may be 1101 or 1.101: --decimal , or --thousands , says which",
        ),
        (
            [*map(str, RNG.random(40).round(3)), "none yet"],
            "row 41, column 'y': 'none yet' is no number, as most cells of the column are; --missing none yet takes it "
            "for a gap, --task classify all for classes",
        ),
    ],
)
def test_what_is_in_doubt_is_said(cells, message):
    with pytest.raises(InputError) as problem:
        choice_of(table(cells), "y")
    assert str(problem.value).endswith(message)


def test_there_are_two_tasks():
    with pytest.raises(InputError, match=r"^the task is classify or regress and not 'cluster'$"):
        choice_of(table(["1", "2"]), "y", "cluster")
    with pytest.raises(InputError, match="no column 'z'"):
        choice_of(table(["1", "2"]), "z")
