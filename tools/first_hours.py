"""What three newcomers do in their first hour: lists of steps, to which more can be added."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Step:
    """A command, and what is wanted of it: its exit code, words that it says, the most seconds it may take."""

    name: str
    words: list[str]
    wanted: int = 0
    says: str = ""
    seconds: float | None = None
    interrupt: float | None = None  # seconds until Ctrl-C is pressed; `seconds` then counts from there


@dataclass
class Person:
    """Somebody with files and habits."""

    name: str
    installs: list[list[str]]  # WHEEL stands for the package; each list is one call of pip
    steps: list[Step]
    files: dict[str, Callable[[], str]] = field(default_factory=dict)


def python(name: str, code: str, **wanted) -> Step:
    """A step that runs lines of Python."""
    return Step(name, ["python", "-c", code], **wanted)


def shell(line: str, **wanted) -> Step:
    """A step that is typed; no quoting is needed in any of them."""
    return Step(line, line.split(), **wanted)


def penguins() -> str:
    """A table as a spreadsheet of a country with decimal commas writes it: semicolons, gaps, dates, names."""
    draw = random.Random(0)
    lines = ["island;bill;mass;seen;sex;species"]
    for i in range(240):
        kind = i % 3
        bill, mass = f"{draw.gauss(38 + 5 * kind, 2):.1f}".replace(".", ","), f"{draw.gauss(3.7 + kind, 0.4):.2f}"
        island = draw.choice(["Torgersen", "Biscoe", "Dream"])
        seen = f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.2024"
        sex = draw.choice(["male", "female", ""])
        lines.append(f"{island};{bill};{mass.replace('.', ',')};{seen};{sex};{['Adelie', 'Chinstrap', 'Gentoo'][kind]}")
    return "\n".join(lines) + "\n"


def many_rows() -> str:
    """Numbers enough for a fit that takes a while."""
    draw = random.Random(0)
    rows = [[draw.gauss(0, 1) for _ in range(20)] for _ in range(4000)]
    lines = [",".join([*(f"{x:.4f}" for x in row), "yes" if sum(row[:3]) > 0 else "no"]) for row in rows]
    return "\n".join([",".join([*(f"x{i}" for i in range(20)), "class"]), *lines]) + "\n"


FRAME = """
import numpy as np, pandas as pd
rng = np.random.default_rng(0)
n = 200
frame = pd.DataFrame({
    "island": pd.Categorical(rng.choice(["Torgersen", "Biscoe", "Dream"], n)),
    "bill": rng.normal(40, 5, n), "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
    "ringed": rng.random(n) < 0.5})
frame.loc[::9, "bill"] = np.nan
species = np.where((frame["bill"].fillna(40) > 40) ^ frame["ringed"], "Adelie", "Gentoo")
"""
WINE = "from sklearn.datasets import load_wine; X, y = load_wine(return_X_y=True, as_frame=True)\n"
IMPORT = "from freemetric import NCA, FreeEnergyClassifier\n"
FIT = f"{WINE}{IMPORT}print(FreeEnergyClassifier(random_state=0).fit(X, y).oob_score_)"
SCORED = """
from freemetric import TableClassifier
from sklearn.model_selection import cross_val_score
print(cross_val_score(TableClassifier(), frame, species, cv=3))
"""
NOTEBOOK = f"""
import nbformat, nbclient
cells = [{WINE + IMPORT!r}, "model = FreeEnergyClassifier(12, random_state=0).fit(X, y)", "model"]
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
nbclient.NotebookClient(notebook, timeout=300).execute()
shown = notebook.cells[-1]["outputs"][0]["data"]["text/html"]
assert "out-of-bag accuracy" in shown, shown[:500]
print(f"a card of {{len(shown)}} letters")
"""
NAMES = f"{IMPORT}NCA().fit([['a'], ['b']], [0, 1])"
REPORT = f"{WINE}{IMPORT}NCA().fit(X, y).report('wine.html')"

DATA_SCIENTIST = Person(
    "a data scientist with pandas and notebooks",
    [["WHEEL", "pandas"], ["ipykernel", "nbclient", "nbformat"]],
    [
        python("nothing, for comparison", "pass"),
        python("import scikit-learn, for comparison", "import sklearn"),
        python("import", "import freemetric", seconds=1),
        python("import with a learner", IMPORT),
        python("the first fit, which compiles", FIT),
        python("the second fit", FIT),
        python("names in a matrix", NAMES, wanted=1, says="could not"),
        python("a frame with categories, dates and gaps", FRAME + SCORED),
        python("a notebook", NOTEBOOK),
        python("the report without its extra", REPORT, wanted=1, says="pip install 'freemetric[report]'"),
    ],
)

BIOLOGIST = Person(
    "a biologist with CSV files and the command line",
    [["WHEEL"]],
    [
        shell("freemetric --version", wanted=1, says="pip install 'freemetric[cli]'"),
        shell("python -m pip install --quiet --disable-pip-version-check WHEEL[cli]"),
        shell("freemetric --version", seconds=0.5),
        shell("freemetric --help", seconds=0.5, says="Usage"),
        shell("freemetric fit penguins.csv --target species -o penguins.fm", says="out-of-bag"),
        shell("freemetric predict penguins.fm penguins.csv -o out.xlsx --proba", says="accuracy"),
        shell("freemetric predict penguins.fm penguins.csv -o out.parquet", wanted=1, says="freemetric[parquet]"),
        shell("freemetric inspect penguins.fm"),
        shell("freemetric report penguins.fm", says="browser"),
        shell("freemetric evaluate penguins.csv --target species --methods euclidean,rf --folds 3 --repeats 1"),
        shell("freemetric fit penguins.csv --target specis -o other.fm", wanted=2, says="specis"),
        shell("freemetric fit pinguins.csv --target species -o other.fm", wanted=2, says="pinguins.csv"),
        shell("freemetric predict penguins.csv penguins.csv", wanted=1, says="not a freemetric model"),
        python("a copy of the model", "import shutil; shutil.copy('penguins.fm', 'kept.fm')"),
        shell("freemetric fit many.csv --target class -o penguins.fm", wanted=130, interrupt=10, seconds=2),
        python("the model is untouched", "assert open('penguins.fm', 'rb').read() == open('kept.fm', 'rb').read()"),
    ],
    {"penguins.csv": penguins, "many.csv": many_rows},
)

DIGITS = """
import warnings; warnings.simplefilter("ignore")
from sklearn.datasets import load_digits; from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X[:900] / 16, y[:900], random_state=0, stratify=y[:900])
def accuracy(learner):
    learner.fit(X_train, y_train)
    knn = KNeighborsClassifier(5).fit(learner.transform(X_train), y_train)
    return round(knn.score(learner.transform(X_test), y_test), 3)
"""

PAIRS = """
import numpy as np
from freemetric import ITML
X = np.random.default_rng(0).random((9, 3))
print(ITML(random_state=0).fit(X, pairs=[[0, 1], [2, 3]], pair_labels=[1, -1]).pair_distance(X[[[0, 1]]]))
"""
PAGE = """
import re
page = open("metric_learn.md").read()
exec("\\n".join(re.findall(r"^```python\\n(.*?)^```", page, re.DOTALL | re.MULTILINE)))
"""

USER_OF_METRIC_LEARN = Person(
    "a user of metric-learn",
    [["WHEEL", "metric-learn==0.7.0", "scikit-learn<1.8"]],
    [
        python("both are there", "import metric_learn, freemetric"),
        python("their NCA(2) on digits", DIGITS + "from metric_learn import NCA; print(accuracy(NCA(n_components=2)))"),
        python("our NCA(2)", DIGITS + "from freemetric import NCA; print(accuracy(NCA(n_components=2)))"),
        python("our LMNN(2)", DIGITS + "from freemetric import LMNN; print(accuracy(LMNN(n_components=2)))"),
        python("pairs", PAIRS),
        python("a parameter of theirs", "from freemetric import LFDA; LFDA(k=7)", wanted=1, says="unexpected keyword"),
        python("the page on moving", PAGE),
    ],
)

PEOPLE = [DATA_SCIENTIST, BIOLOGIST, USER_OF_METRIC_LEARN]
