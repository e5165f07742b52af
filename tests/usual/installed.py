"""What newcomers do first, in an environment that has the wheel: one line for each.

``python -m tests.usual`` runs this file in three fresh environments. It imports nothing
of the repository. Where a package is missing, the error has to say how to install it.
"""

import inspect
import io
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import redirect_stderr, suppress
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scipy.sparse
import sklearn
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import freemetric as fm
from freemetric import metric_learn

RNG = np.random.default_rng(0)
WINE = load_wine()
X = WINE.data[::2]
y = WINE.target[::2]
PAIRS = RNG.integers(len(X), size=(40, 2))
ALIKE = np.where(y[PAIRS[:, 0]] == y[PAIRS[:, 1]], 1, -1)
PROGRAM = """
import numpy as np, pandas as pd, freemetric as fm
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
table = pd.DataFrame({"a": np.arange(90) % 7, "b": [f"name {i}" for i in range(90)]})
if __name__ == "__main__":
    model = fm.TableClassifier(GaussianNB())
    cross_val_score(model, table, np.arange(90) % 2, cv=6, n_jobs=2)
"""


def refused(call, *words):
    """Check that a call raises an error with these words in its first line."""
    try:
        call()
    except (TypeError, ValueError) as problem:
        line = str(problem).splitlines()[0]
        assert all(word in line for word in words), line
    else:
        raise AssertionError("no error")


def read_attributes(estimator):
    assert repr(estimator)
    assert estimator._repr_html_()
    for name in dir(estimator):
        getattr(estimator, name)


def complete_names():
    """Row 1: editors and notebooks read all attributes, before a fit and after it."""
    for name in fm.__all__:
        if name.startswith("Table") and find_spec("pandas") is None:
            continue
        value = getattr(fm, name)
        if isinstance(value, type) and issubclass(value, BaseEstimator):
            needs_learner = "learner" in inspect.signature(value).parameters
            read_attributes(value(fm.ITML()) if needs_learner else value())
    read_attributes(fm.FreeEnergyClassifier(4, random_state=0).fit(X, y))
    read_attributes(fm.LMNN(max_iter=5).fit(X, y))
    with suppress(NotFittedError):
        fm.LMNN().transform(X)


def column_of_gaps():
    """Row 2: a column without values in fit that has some later."""
    import pandas as pd

    train = pd.DataFrame({"a": X[:, 0], "state": None})
    model = fm.TableClassifier(GaussianNB()).fit(train, y)
    new = train.assign(state="degraded")
    np.testing.assert_array_equal(model.predict(new), model.predict(train))
    refused(lambda: model.predict(train.assign(a="much")), "'a', row 0", "'much'")


def money_is_a_number():
    """Row 3: money, per cent, thousands and decimal commas; warnings where in doubt."""
    import pandas as pd

    texts = {
        "money": [f"${1000 * value:,.0f}" for value in X[:, 0]],
        "rate": [f"{value:.1f} %" for value in X[:, 1] * 10],
        "comma": [f"{value:.2f}".replace(".", ",") for value in X[:, 2]],
        "member": y > 0,
        "key": [f"name {row}" for row in range(len(X))],
    }
    table = pd.DataFrame(texts)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = fm.TableClassifier(GaussianNB()).fit(table, y)
        assert len(caught) == 1
        assert "keep=['key']" in str(caught[0].message)
        assert set(model.kinds_.values()) == {"number"}
        model.predict(table.assign(member=table["member"].astype(int)))
        model.predict(table.assign(rate=X[:, 1] / 10))
        assert ["member" in str(each.message) for each in caught] == [0, 1, 0]
        assert "'rate'" in str(caught[2].message)


def pairs_of_indices():
    """Row 4: indices of pairs and coordinates of pairs are told apart."""
    fm.ITML().fit(X, pairs=PAIRS, pair_labels=ALIKE)
    refused(lambda: fm.ITML().fit(X, pairs=X[PAIRS], pair_labels=ALIKE), "indices")
    by_index = metric_learn.ITML(preprocessor=X).fit(PAIRS, ALIKE)
    by_points = metric_learn.ITML().fit(X[PAIRS], ALIKE)
    np.testing.assert_allclose(
        by_index.get_mahalanobis_matrix(), by_points.get_mahalanobis_matrix()
    )
    refused(lambda: metric_learn.ITML().fit(PAIRS, ALIKE), "3D array")
    refused(lambda: fm.PairClassifier(fm.ITML()).fit(PAIRS, ALIKE), "preprocessor=X")


def no_limit_of_seconds():
    """Row 5: max_seconds is gone."""
    refused(lambda: fm.FreeEnergyClassifier(max_seconds=1), "unexpected keyword")


def warnings_and_commands():
    """Row 6: one warning for each process; quick errors; hints."""
    import pandas

    assert pandas
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.py"
        program.write_text(PROGRAM)
        done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    assert 1 <= done.stderr.count("Warning: ") <= 2, done.stderr


def command_line():
    """Row 6: help and errors of arguments come at once, or a hint."""
    words = [sys.executable, "-m", "freemetric"]
    start = time.perf_counter()
    shown = subprocess.run([*words, "--help"], capture_output=True, text=True)
    bad = subprocess.run([*words, "fit", "--no"], capture_output=True, text=True)
    assert time.perf_counter() - start < 8
    if find_spec("click") is None:
        assert "pip install click" in shown.stderr, shown.stderr
        raise ImportError(shown.stderr.strip())
    assert shown.returncode == 0, shown.stderr
    assert bad.returncode == 2, bad.stderr
    assert len(bad.stderr.splitlines()) == 1, bad.stderr


def displays():
    """Row 7: displays show the names of columns, and take labels that are texts."""
    import pandas as pd

    from freemetric import plotting

    table = pd.DataFrame(X[:, :3], columns=["alcohol", "acid", "ash"])
    names = WINE.target_names[y]
    model = fm.TableClassifier(fm.FreeEnergyClassifier(4, random_state=0))
    model.fit(table, names)
    bars = plotting.ImportancesDisplay.from_estimator(model)
    labels = {text.get_text() for text in bars.ax_.get_yticklabels()}
    assert labels == set(table.columns)
    matrix = plotting.ConfusionDisplay.from_estimator(model, table, names)
    shown = [text.get_text() for text in matrix.ax_.get_xticklabels()]
    assert shown == sorted(set(names))


def first_lines_of_the_readme():
    """Row 8: the first example of the README."""
    model = fm.FreeEnergyClassifier(random_state=0).fit(X, y)
    new = WINE.data[1::2]
    assert model.score(new, WINE.target[1::2]) > 0.95
    assert 0.9 < model.oob_score_ <= 1
    assert model.predict_proba(new).shape == (len(new), 3)


def searches_of_scikit_learn():
    """Row 12: a search over a pipeline, routed weights, names out, sparse input."""
    pipeline = make_pipeline(
        StandardScaler(), fm.LMNN(max_iter=20), KNeighborsClassifier()
    )
    grid = {"kneighborsclassifier__n_neighbors": [1, 3], "lmnn__n_neighbors": [1, 3]}
    assert GridSearchCV(pipeline, grid, cv=3).fit(X, y).best_score_ > 0.9
    learner = fm.LMNN(max_iter=5).fit(X, y)
    names = [f"lmnn{axis}" for axis in range(X.shape[1])]
    assert learner.get_feature_names_out().tolist() == names
    dense = learner.transform(X)
    sparse = fm.LMNN(max_iter=5).fit(scipy.sparse.csr_array(X), y)
    np.testing.assert_allclose(sparse.transform(scipy.sparse.csr_array(X)), dense)
    with sklearn.config_context(enable_metadata_routing=True):
        itml = fm.ITML().set_fit_request(pairs=True, pair_labels=True)
        routed = make_pipeline(StandardScaler(), itml, KNeighborsClassifier())
        assert routed.fit(X, y, pairs=PAIRS, pair_labels=ALIKE).score(X, y) > 0.8
        nca = fm.NCA(max_iter=30).set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=True)
        weighted = make_pipeline(scaler, nca, KNeighborsClassifier())
        weights = np.ones(len(X))
        assert weighted.fit(X, y, sample_weight=weights).score(X, y) > 0.8


def frames_out():
    """Row 12: set_output gives frames."""
    import pandas

    assert pandas
    learner = fm.LMNN(max_iter=5).set_output(transform="pandas").fit(X, y)
    assert learner.transform(X).columns[0] == "lmnn0"


def tables_without_pandas():
    """Row 6: TableClassifier names the package that it needs."""
    assert fm.TableClassifier


ROWS = {
    "1 attributes": (complete_names, ""),
    "2 gaps": (column_of_gaps, "pandas"),
    "3 money": (money_is_a_number, "pandas"),
    "4 pairs": (pairs_of_indices, ""),
    "5 max_seconds": (no_limit_of_seconds, ""),
    "6 tables": (tables_without_pandas, "pandas"),
    "6 warnings": (warnings_and_commands, "pandas"),
    "6 commands": (command_line, "click"),
    "7 displays": (displays, "matplotlib"),
    "8 README": (first_lines_of_the_readme, ""),
    "12 searches": (searches_of_scikit_learn, ""),
    "12 frames": (frames_out, "pandas"),
}


def result_of(row, needs):
    """Return whether a row is as it should be, and a line about it."""
    is_here = not needs or find_spec(needs) is not None
    start = time.perf_counter()
    try:
        with redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            row()
    except ImportError as problem:
        hint = str(problem).splitlines()[0]
        return not is_here, hint
    except Exception as problem:
        return False, f"{type(problem).__name__}: {problem}"
    return is_here, f"works, {time.perf_counter() - start:.1f} s"


if __name__ == "__main__":
    if find_spec("matplotlib"):
        import matplotlib

        matplotlib.use("Agg")
    results = [(name, *result_of(*row)) for name, row in ROWS.items()]
    for name, is_right, line in results:
        print(f"{'ok  ' if is_right else 'FAIL'} {name}: {line}")
    sys.exit(not all(is_right for _, is_right, _ in results))
