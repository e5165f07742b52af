import subprocess
import sys
import time
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from freemetric import NCA, FreeEnergyClassifier, FreeEnergyRegressor
from freemetric.tables import TableClassifier, TableRegressor

N = 80
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "price": [f"${number:,.0f}" for number in RNG.uniform(1e3, 9e4, N)],
        "colour": pd.Categorical(RNG.choice(["red", "blue", "green"], N)),
        "since": pd.Timestamp("2020-01-01")
        + pd.to_timedelta(RNG.integers(0, 900, N), "D"),
        "member": RNG.random(N) < 0.5,
        "size": np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(size=N)),
    }
)
LABELS = np.where(FRAME["size"].fillna(0) + FRAME["member"] > 0.5, "yes", "no")
VALUES = FRAME["size"].fillna(0).to_numpy() * 10 + 5
BAYES = TableClassifier(GaussianNB())


TREES = [DecisionTreeClassifier(random_state=0), DecisionTreeRegressor(random_state=0)]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([TableClassifier(TREES[0]), TableRegressor(TREES[1])])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_it_is_the_estimator_on_the_encoded_table():
    model = clone(BAYES).fit(FRAME, LABELS)
    features = model.pipeline_[0].transform(FRAME)
    inside = GaussianNB().fit(features, LABELS)
    expected = inside.predict_proba(features)
    assert_array_equal(model.predict_proba(FRAME), expected)
    assert_allclose(model.predict_log_proba(FRAME), np.log(expected))
    assert_array_equal(model.pipeline_.predict(FRAME), model.predict(FRAME))
    assert model.score(FRAME, LABELS) == inside.score(features, LABELS)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.n_features_in_ == 5
    assert model.feature_names_in_.tolist() == FRAME.columns.tolist()
    assert len(model.get_feature_names_out()) == inside.n_features_in_


def test_weights_reach_the_estimator():
    weights = RNG.random(N)
    model = TableRegressor(Ridge()).fit(FRAME, VALUES, sample_weight=weights)
    features = model.pipeline_[0].transform(FRAME)
    inside = Ridge().fit(features, VALUES, sample_weight=weights)
    assert_allclose(model.predict(FRAME), inside.predict(features))
    model = TableClassifier(KNeighborsClassifier())
    with pytest.raises(ValueError, match="KNeighborsClassifier cannot use sample_wei"):
        model.fit(FRAME, LABELS, sample_weight=weights)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (LABELS.tolist(), ["no", "yes"]),
        (pd.Series(LABELS).astype("category"), ["no", "yes"]),
        (pd.Series(LABELS == "yes").astype("boolean"), [False, True]),
        (LABELS == "yes", [False, True]),
        (pd.Series(np.where(LABELS == "yes", 3, 7)).astype("Int64"), [3, 7]),
    ],
)
def test_labels(y, classes):
    model = clone(BAYES).fit(FRAME, y)
    assert model.classes_.tolist() == classes
    assert set(model.predict(FRAME).tolist()) <= set(classes)


def test_labels_and_frames_of_polars_and_arrow():
    polars = pytest.importorskip("polars", reason="needs the extra dev-all")
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    test_labels(polars.Series(LABELS), ["no", "yes"])
    test_other_frames(polars.from_pandas)
    test_other_frames(lambda frame: polars.from_pandas(frame).to_arrow())
    test_what_has_no_rows(polars.from_pandas(FRAME).lazy())


EUROS = [f"{v} €".replace(".", ",") for v in VALUES]
NULLABLE = pd.Series(VALUES).astype("Float64")


@pytest.mark.parametrize(
    "y", [VALUES, VALUES.astype(str), EUROS, NULLABLE, VALUES.tolist()]
)
def test_numbers_as_targets(y):
    expected = TableRegressor(Ridge()).fit(FRAME, VALUES).predict(FRAME)
    model = TableRegressor(Ridge()).fit(FRAME, y)
    assert_allclose(model.predict(FRAME), expected)
    assert_allclose(model.score(FRAME, y), r2_score(VALUES, expected))


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, "", " "])
@pytest.mark.parametrize("model", [BAYES, TableRegressor(Ridge())])
def test_gaps_among_targets(model, gap):
    y = pd.Series([gap, gap, *VALUES.round()[2:]], dtype=object)
    with pytest.raises(ValueError, match="2 gaps; leave out the rows"):
        model.fit(FRAME, y)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([0, 1], [0, 1]), ([False, True], [False, True]), (["no", "yes"], ["no", "yes"])],
)
def test_labels_in_columns_of_objects(labels, expected):
    y = pd.Series([None, *labels * (N // 2)], dtype=object).dropna()
    model = clone(BAYES).fit(FRAME, y)
    assert model.classes_.tolist() == expected
    assert model.classes_.dtype.kind in "biU"


def test_labels_of_two_kinds():
    with pytest.raises(TypeError, match="y holds texts and other labels"):
        clone(BAYES).fit(FRAME, ["no", 1] * (N // 2))
    with pytest.raises((TypeError, FutureWarning), match="Convert the labels to a str"):
        clone(BAYES).fit(FRAME, [b"no", b"yes"] * (N // 2))  # a warning up to 1.6


def test_targets_that_are_no_numbers():
    with pytest.raises(ValueError, match="y, row 1: 'about 5' is no number"):
        TableRegressor(Ridge()).fit(FRAME, ["1", "about 5"] * (N // 2))
    with pytest.raises(ValueError, match=r"y, row 0: '2020-01-01.*' is no number"):
        TableRegressor(Ridge()).fit(FRAME, pd.date_range("2020-01-01", periods=N))
    with pytest.raises(ValueError, match="X has 80 rows, and y has 79"):
        TableRegressor(Ridge()).fit(FRAME, VALUES[1:])


def test_frames_of_polars_need_arrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = type("DataFrame", (), {"to_pandas": None, "__module__": "polars.frame"})
    with pytest.raises(ImportError, match=r"pip install pyarrow \(extra 'parquet'\)"):
        clone(BAYES).fit(frame(), LABELS)


RECORDS = partial(pd.DataFrame.to_dict, orient="records")
OBJECTS = partial(pd.DataFrame.to_numpy, dtype=object)


def foreign(frame):
    """A frame of another library."""
    return SimpleNamespace(to_pandas=lambda: frame)


@pytest.mark.parametrize("convert", [RECORDS, OBJECTS, foreign])
def test_other_frames(convert):
    model = clone(BAYES).fit(FRAME, LABELS)
    expected = model.predict_proba(FRAME)
    assert_allclose(model.predict_proba(convert(FRAME)), expected)
    again = clone(BAYES).fit(convert(FRAME.drop(columns="colour")), LABELS)
    assert set(again.kinds_.values()) == {"number", "ISO 8601"}


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (FRAME.iloc[:0], "no row"),
        (FRAME[[]], "no column"),
        (pd.concat([FRAME, FRAME["size"]], axis=1), r"same name: \['size'\]"),
        (FRAME.to_numpy()[:, :2], "X has 2 features, but TableClassifier is exp"),
        (FRAME["size"].to_numpy(), "Expected 2D array"),
    ],
)
def test_what_is_no_table(X, message):
    model = clone(BAYES).fit(FRAME, LABELS)
    with pytest.raises(ValueError, match=message):
        model.predict(X)


@pytest.mark.parametrize("X", [{"size": 1, "price": 2}, "table.csv", None, 3])
def test_what_has_no_rows(X):
    with pytest.raises(TypeError, match=f"^X must be .*, got a {type(X).__name__}.$"):
        clone(BAYES).fit(X, LABELS)


def test_columns_whose_names_are_numbers():
    frame = FRAME.set_axis(range(5), axis=1)
    model = TableClassifier(GaussianNB(), keep=[0], drop=[2]).fit(frame, LABELS)
    assert list(model.kinds_) == ["0", "1", "3", "4"]
    model.predict(frame.set_axis(list("01234"), axis=1))
    several = pd.MultiIndex.from_product([["a"], range(5)])
    model = clone(BAYES).fit(FRAME.set_axis(several, axis=1), LABELS)
    assert "('a', 0)" in model.kinds_


def test_an_estimator_for_the_other_task():
    with pytest.raises(TypeError, match=r"estimator=Ridge\(\) is for TableRegressor"):
        TableClassifier(Ridge()).fit(FRAME, LABELS)
    with pytest.raises(TypeError, match=r"GaussianNB\(\) is for TableClassifier"):
        TableRegressor(GaussianNB()).fit(FRAME, VALUES)


def test_a_german_file(tmp_path):
    """Semicolons, decimal commas and a code page of Windows."""
    line = "{},5;1.{},{:02} €;{:02}.01.2020;{},5 %"
    lines = [line.format(i % 7, 100 + i, i, i % 28 + 1, i) for i in range(N)]
    lines = ["Größe;Preis;Tag;Anteil", *lines]
    path = tmp_path / "table.csv"
    path.write_bytes("\n".join(lines).encode("cp1252"))
    frame = pd.read_csv(path, sep=";", encoding="cp1252")
    model = clone(BAYES).fit(frame, LABELS)
    assert list(model.kinds_.values()) == ["number", "number", "%d.%m.%Y", "number"]
    first = model.pipeline_[0].transform(frame.head(1))[0]
    assert_allclose(first[:2], [0.5, 1100.0])


def test_arrays_have_columns_by_number():
    X = RNG.random((N, 3))
    model = clone(BAYES).fit(X, LABELS)
    assert list(model.kinds_) == ["x0", "x1", "x2"]
    assert not hasattr(model, "feature_names_in_")
    named = pd.DataFrame(X, columns=["a", "b", "c"])
    assert_array_equal(model.predict_proba(named), model.predict_proba(X))


def test_grid_search_reaches_both_steps():
    grid = {"estimator__n_neighbors": [1, 5], "drop": [[], ["since"]]}
    search = GridSearchCV(TableClassifier(KNeighborsClassifier()), grid, cv=2)
    assert search.fit(FRAME, LABELS).best_params_.keys() == grid.keys()


def test_only_methods_of_the_estimator_are_there():
    neighbors = TableClassifier(KNeighborsClassifier()).fit(FRAME, LABELS)
    distances, rows = neighbors.kneighbors(FRAME.head(3), n_neighbors=1)
    assert_array_equal(distances, 0)
    assert_array_equal(rows[:, 0], [0, 1, 2])
    methods = ("kneighbors", "predict_set", "predict_interval", "predict_quantiles")
    assert not any(hasattr(BAYES, method) for method in methods)
    assert not hasattr(TableClassifier(estimator=NCA()), "predict_proba")
    with pytest.raises(TypeError, match=r"MetricKNeighborsClassifier\(NCA\(\)\) does"):
        TableClassifier(NCA()).fit(FRAME, LABELS)


def test_the_ensembles_are_the_default():
    small = FreeEnergyClassifier(4, random_state=0)
    model = TableClassifier(small).fit(FRAME, LABELS)
    assert 0 <= model.pipeline_[-1].oob_score_ <= 1
    assert model.predict_set(FRAME.head(3)).shape == (3, 2)
    default = TableClassifier(random_state=3)._unfitted_estimator()
    assert isinstance(default, FreeEnergyClassifier)
    regressor = TableRegressor(FreeEnergyRegressor(4, random_state=0))
    regressor.fit(FRAME, VALUES)
    low, high = regressor.predict_interval(FRAME, alpha=0.2).T
    assert (low < high).all()
    quantiles = regressor.predict_quantiles(FRAME, [0.1, 0.9])
    assert (quantiles[:, 0] < quantiles[:, 1]).all()
    assert isinstance(TableRegressor()._unfitted_estimator(), FreeEnergyRegressor)


def test_money_helps():
    """Money is read as numbers: a linear model sees it."""
    prices = RNG.uniform(1000, 90000, 400)
    frame = pd.DataFrame({"price": [f"${price:,.0f}" for price in prices]})
    labels = prices > 40000
    linear = TableClassifier(LogisticRegression()).fit(frame[::2], labels[::2])
    assert linear.score(frame[1::2], labels[1::2]) > 0.97


@pytest.mark.parametrize("n_texts", [0, 15])
def test_one_row_takes_little_time(n_texts):
    columns = {f"n{i}": RNG.random(200) for i in range(30 - n_texts)}
    columns |= {f"t{i}": RNG.choice(["a", "b", "c"], 200) for i in range(n_texts)}
    frame = pd.DataFrame(columns)
    model = clone(BAYES).fit(frame, RNG.integers(0, 2, 200))
    assert least_seconds(model, frame.iloc[[7]]) < 0.01


def least_seconds(model, row):
    """Return the time of the fastest of many predictions, in which nothing else ran."""
    seconds = []
    for _ in range(60):
        start = time.process_time()
        model.predict(row)
        seconds.append(time.process_time() - start)
    return min(seconds)


@pytest.mark.slow
def test_pandas_is_named_where_it_is_missing():
    code = "import sys; sys.modules['pandas'] = None; import freemetric\n"
    code += "freemetric.FreeEnergyClassifier\n"
    code += "try:\n    freemetric.TableClassifier\n"
    code += "except ImportError as problem:\n    print(problem)"
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    says = "This needs pandas: pip install pandas (extra 'table')."
    assert done.stdout.strip() == says
