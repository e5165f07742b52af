"""MetricRetriever against scikit-learn's neighbour search in the space of the learner."""

import ast
import io
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import cosine_distances
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import freemetric
from freemetric import ITML, LFDA, LMNN, MLKR, NCA, RCA, FreeEnergyClassifier, MetricRetriever
from freemetric.metrics import map_at_r
from freemetric.metrics.vector_index import FEWEST, GRAPHS, Package, VectorIndex

from ..pages import ROOT, blocks, run

PAGE = ROOT / "docs" / "howto" / "search.md"


def nearest(Z, Q, k):
    return NearestNeighbors(n_neighbors=k, algorithm="brute").fit(Z).kneighbors(Q)


@pytest.mark.parametrize("learner", [RCA(), LFDA(3), NCA(2, random_state=0), make_pipeline(MinMaxScaler(), RCA())])
def test_it_is_a_search_in_the_learned_space(wine, learner):
    X, y = wine
    model = MetricRetriever(learner).fit(X[::2], y[::2])
    learner.fit(X[::2], y[::2])
    distances, rows = nearest(learner.transform(X[::2]), learner.transform(X[1::2]), 7)
    found, ids = model.query(X[1::2], 7)
    np.testing.assert_allclose(found, distances, rtol=1e-5)
    np.testing.assert_array_equal(ids, rows)


def test_an_ensemble_is_a_learner_too(wine):
    X, y = wine
    model = MetricRetriever(FreeEnergyClassifier(4, random_state=0)).fit(X, y)
    Z = FreeEnergyClassifier(4, random_state=0).fit(X, y).transform(X)
    np.testing.assert_allclose(model.query(X, 3)[0], nearest(Z, Z, 3)[0], atol=1e-5)


def test_plain_and_cosine_distances(wine):
    X, y = wine
    np.testing.assert_allclose(MetricRetriever(None).fit(X).query(X[:9], 5)[0], nearest(X, X[:9], 5)[0], atol=1e-6)
    found, ids = MetricRetriever("cosine").fit(X, y).query(X[:9] + 0.1, 5)
    apart = cosine_distances(X[:9] + 0.1, X)
    np.testing.assert_array_equal(ids, apart.argsort(axis=1)[:, :5])
    np.testing.assert_allclose(found, np.sort(apart, axis=1)[:, :5], atol=1e-6)


def test_far_from_the_origin_and_among_copies_it_stays_exact(rng):
    X = np.repeat(1e6 + rng.random((50, 5)), 2, axis=0)
    distances, ids = MetricRetriever(None).fit(X[:60]).partial_add(X[60:]).query(X[::2], 4)
    np.testing.assert_array_equal(ids[:, :2], np.arange(100).reshape(-1, 2))  # of equal items the first
    np.testing.assert_allclose(distances, nearest(X - 1e6, X[::2] - 1e6, 4)[0], atol=1e-5)


@pytest.mark.parametrize("kind", ["classes", "targets", "pairs", "nothing"])
def test_auto_takes_a_learner_of_what_is_known(wine, kind):
    X, y = wine
    pairs = np.random.default_rng(0).integers(len(X), size=(200, 2))
    similar = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    model = MetricRetriever(random_state=0)
    if kind == "classes":
        expected, fit = LFDA().fit(X, y), model.fit(X, y)
    elif kind == "targets":
        expected, fit = MLKR(random_state=0).fit(X, X[:, 0] ** 2), model.fit(X, X[:, 0] ** 2)
    elif kind == "pairs":
        expected = ITML(random_state=0).fit(X, pairs=pairs, pair_labels=similar)
        fit = model.fit(X, pairs=pairs, pair_labels=similar)
    else:
        expected, fit = RCA().fit(X, y), model.fit(X)
        expected.components_ = np.eye(X.shape[1])
    np.testing.assert_allclose(fit.transform(X), expected.transform(X))


def test_pairs_of_samples_are_pairs_of_their_distinct_points(wine):
    X = np.unique(wine[0], axis=0)[:40]
    pairs = np.random.default_rng(0).integers(40, size=(100, 2))
    similar = np.where(pairs.sum(axis=1) % 2 == 0, 1, -1)
    model = MetricRetriever(ITML(random_state=0)).fit(X[pairs], similar)
    points = X[list(dict.fromkeys(pairs.ravel()))]  # in the order of their first appearance
    np.testing.assert_array_equal(model.query(points, 1)[1][:, 0], np.arange(len(points)))
    with pytest.raises(ValueError, match="LFDA takes no pairs: it learns from labels alone"):
        MetricRetriever(LFDA()).fit(X[pairs], similar)
    with pytest.raises(ValueError, match=r"of \+1 or -1"):
        MetricRetriever().fit(X[pairs], similar + 5)


def test_from_many_rows_it_learns_on_those_that_pairs_name(rng):
    X = rng.random((300, 4))
    pairs, signs = np.array([[5, 100], [100, 200], [5, 299]]), [1, -1, -1]
    model = MetricRetriever(ITML(random_state=0), max_samples=50).fit(X, pairs=pairs, pair_labels=signs)
    few = ITML(random_state=0).fit(X[[5, 100, 200, 299]], pairs=[[0, 1], [1, 2], [0, 3]], pair_labels=signs)
    np.testing.assert_allclose(model.learner_.components_, few.components_)
    assert len(model.ids) == 300


def test_items_come_and_go(wine):
    X, y = wine
    whole = MetricRetriever(RCA()).fit(X[:100], y[:100]).partial_add(X[100:])
    Z = whole.transform(X)
    np.testing.assert_array_equal(whole.query(X, 5)[1], nearest(Z, Z, 5)[1])
    gone = np.arange(0, 178, 3)
    stay = np.setdiff1d(np.arange(178), gone)
    np.testing.assert_array_equal(whole.remove(gone).query(X, 5)[1], stay[nearest(Z[stay], Z, 5)[1]])
    whole.partial_add(X[gone], ids=gone)
    np.testing.assert_array_equal(whole.query(X, 5)[1], nearest(Z, Z, 5)[1])
    assert whole.partial_add(X[:1]).ids[-1] == 178


def test_ids_may_be_texts(wine, tmp_path):
    X, y = wine
    model = MetricRetriever(RCA()).fit(X, y, ids=[f"wine {i}" for i in range(178)])
    model.remove("wine 3").partial_add(X[3:4], ids=["a much longer name"])
    assert model.query(X[3:4], 1)[1].tolist() == [["a much longer name"]]
    model.save(tmp_path / "wine.fm")
    assert freemetric.load(tmp_path / "wine.fm").query(X[3:5], 1)[1].tolist() == [["a much longer name"], ["wine 4"]]


@pytest.mark.parametrize("learner", ["auto", "cosine", None, make_pipeline(MinMaxScaler(), LMNN(2))])
def test_it_is_saved_and_loaded(wine, learner):
    X, y = wine
    model, held = MetricRetriever(learner, random_state=0).fit(X[:150], y[:150]).remove([7]), io.BytesIO()
    freemetric.save(model, held)
    held.seek(0)
    for again in (freemetric.load(held), pickle.loads(pickle.dumps(model))):
        for one, other in zip(again.query(X, 5), model.query(X, 5), strict=True):
            np.testing.assert_array_equal(one, other)
        assert again.partial_add(X[150:]).ids[-1] == 177


def test_an_empty_index_is_saved_and_filled_again(wine):
    X, y = wine
    model, held = MetricRetriever(RCA()).fit(X, y), io.BytesIO()
    freemetric.save(model.remove(model.ids), held)
    held.seek(0)
    again = freemetric.load(held)
    with pytest.raises(ValueError, match="k=1 is more than the index holds, 0 items"):
        again.query(X, 1)
    np.testing.assert_array_equal(again.partial_add(X).query(X, 1)[1][:, 0], np.arange(178))


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_graph_finds_most_of_the_nearest(rng, kind):
    pytest.importorskip(kind, reason=f"{kind} is not installed")
    X = rng.standard_normal((FEWEST + 600, 8))
    model = MetricRetriever(None, index=kind).fit(X[:FEWEST])
    assert model.query(X[:50], 5)[1][:, 0].tolist() == list(range(50))
    model.partial_add(X[FEWEST : FEWEST + 50])  # few: searched beside the graph
    assert model.index_.graph.size == FEWEST
    assert model.query(X[FEWEST : FEWEST + 50], 5)[1][:, 0].tolist() == list(range(FEWEST, FEWEST + 50))
    model.partial_add(X[FEWEST + 50 :]).remove(np.arange(20))
    distances, rows = nearest(X[20:], X[::10], 5)
    found, ids = model.query(X[::10], 5)
    assert (ids == rows + 20).mean() > 0.95
    np.testing.assert_array_equal(model.query(X[:1], 5)[1], ids[:1])
    assert model.recall(X[::10], 5) == pytest.approx((found <= distances[:, -1:] * (1 + 1e-6)).mean(), abs=1e-9)
    again = pickle.loads(pickle.dumps(model))
    assert (again.query(X[::10], 5)[1] == rows + 20).mean() > 0.95


def test_recall_counts_what_a_graph_misses(rng, monkeypatch):
    """A graph that sees only even rows finds about half of the nearest."""
    X = rng.random((FEWEST, 3))

    def even(package, vectors, n_threads):
        return lambda Q, k: 2 * nearest(vectors[::2], Q, k)[1]

    monkeypatch.setitem(GRAPHS, "faiss", Package("numpy", even))
    model = MetricRetriever(None, index="faiss").fit(X)
    true = nearest(X, X[:100], 10)[1]
    assert model.recall(X[:100], 10) == pytest.approx((true % 2 == 0).mean())
    assert MetricRetriever(None).fit(X).recall(X[:100], 10) == 1


def test_a_graph_with_lost_parts_is_searched_exactly(rng, monkeypatch):
    lost = Package("numpy", lambda package, vectors, n_threads: lambda Q, k: np.full((len(Q), k), -1))
    monkeypatch.setitem(GRAPHS, "usearch", lost)
    X = rng.random((FEWEST, 3))
    assert MetricRetriever(None, index="usearch").fit(X).recall(X[:9], 4) == 1


@pytest.mark.parametrize("kind", GRAPHS)
def test_a_missing_package_is_named(rng, monkeypatch, kind):
    monkeypatch.setitem(sys.modules, GRAPHS[kind].module, None)
    with pytest.raises(ImportError, match=rf"This needs {kind}\S*: pip install 'freemetric\[search\]'"):
        MetricRetriever(None, index=kind).fit(rng.random((20, 2)))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_memory_mapped_file_is_learned_from_a_sample_and_read_in_blocks(dtype, rng, tmp_path, monkeypatch):
    X, y = rng.random((9000, 6)).astype(dtype), np.arange(9000) % 3
    X[:, 0] += y
    np.save(tmp_path / "X.npy", X)
    seen = []
    whole = freemetric.learners.retriever.check_samples
    monkeypatch.setattr(
        freemetric.learners.retriever,
        "check_samples",
        lambda model, rows, *rest, **options: (seen.append(len(rows)), whole(model, rows, *rest, **options))[1],
    )
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = MetricRetriever(max_samples=500, random_state=0).fit(mapped, y)
    assert max(seen) <= 4096
    assert len(model.ids) == sum(seen[1:]) == 9000
    Z = model.transform(X[:200])
    np.testing.assert_array_equal(model.query(mapped[:200], 1)[1][:, 0], np.arange(200))
    np.testing.assert_array_equal(MetricRetriever(max_samples=500, random_state=0).fit(X, y).transform(X[:200]), Z)
    X[8999, 2] = np.nan  # beyond the sample or in it, it is found
    with pytest.raises(ValueError, match="NaN"):
        MetricRetriever(max_samples=500, random_state=0).fit(X, y)


def test_results_do_not_depend_on_threads(rng):
    X, y = rng.random((500, 20)), np.arange(500) % 4
    one, two = (MetricRetriever(n_jobs=n_jobs, random_state=0).fit(X, y).query(X, 9) for n_jobs in (1, 2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


def test_sparse_items(wine):
    X, y = wine
    dense, sparse = (MetricRetriever(RCA()).fit(rows, y) for rows in (X, csr_array(X)))
    np.testing.assert_array_equal(dense.query(X, 3)[1], sparse.query(csr_array(X), 3)[1])


def test_the_score_is_map_at_r_among_the_samples_themselves(wine):
    X, y = wine
    model = MetricRetriever(RCA()).fit(X[y < 2], y[y < 2])
    Z = model.transform(X)
    values = map_at_r(nearest(Z, Z, len(X))[1], y)
    assert model.score(X, y) == pytest.approx(values.mean(), rel=1e-6)
    with pytest.raises(ValueError, match="Every class of y has a single sample"):
        model.score(X[:3], [0, 1, 2])
    with pytest.raises(ValueError, match="y has one class, so that everything is relevant"):
        model.score(X[:3], [1, 1, 1])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        model.score(X, X[:, 0])


def test_it_enters_a_grid_search(wine):
    grid = {"learner": [None, LFDA(2)], "max_samples": [100, None]}
    search = GridSearchCV(MetricRetriever(random_state=0), grid, cv=StratifiedKFold(3)).fit(*wine)
    assert isinstance(search.best_params_["learner"], LFDA)  # better than the plain distance
    assert search.best_estimator_.query(wine[0], 1)[1].shape == (178, 1)


def test_names_of_features_are_kept(wine):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(wine[0], columns=[f"f{i}" for i in range(13)])
    model = MetricRetriever(LFDA(2)).fit(frame, wine[1])
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.get_feature_names_out().tolist() == ["metricretriever0", "metricretriever1"]
    np.testing.assert_array_equal(model.query(frame, 1)[1][:, 0], np.arange(178))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, X: m.query(X, 0), "k must be a positive integer; got 0"),
        (lambda m, X: m.query(X, 500), "k=500 is more than the index holds, 178 items"),
        (lambda m, X: m.query(X[:, :3], 1), "X has 3 features, but MetricRetriever is expecting 13"),
        (lambda m, X: m.query(1e60 * X, 1), "too far away for single precision"),
        (lambda m, X: m.remove([999]), "There is no item with the id 999"),
        (lambda m, X: m.partial_add(X[:2], ids=[5, 700]), "ids must differ; 5 is there twice"),
        (lambda m, X: m.partial_add(X[:2], ids=["a", "b"]), "all integers or all texts"),
        (lambda m, X: m.partial_add(X[:2], ids=[1]), "ids must be 2 integers or texts, one for each row; got int64"),
        (lambda m, X: m.partial_add(1e60 * X), "too far apart for single precision"),
        (lambda m, X: MetricRetriever(index="hnsw").fit(X), "'index' parameter of MetricRetriever"),
        (lambda m, X: MetricRetriever().fit(X, pairs=[[0, 1]]), "pairs needs pair_labels"),
        (lambda m, X: MetricRetriever().fit(X, np.arange(5)), "inconsistent numbers of samples"),
    ],
)
def test_bad_input_is_named_in_one_line_and_changes_nothing(wine, call, message):
    X, y = wine
    model = MetricRetriever(None).fit(X, y)
    before = model.query(X, 3)
    with pytest.raises(ValueError, match=message) as caught:
        call(model, X)
    assert "\n" not in str(caught.value)
    np.testing.assert_array_equal(model.query(X, 3)[1], before[1])


@pytest.mark.parametrize(
    "change",
    [
        {"vectors": np.full((3, 2), np.nan, dtype=np.float32)},
        {"vectors": np.zeros((4, 2), dtype=np.float32)},
        {"centre": np.zeros(3)},
        {"kind": "hnsw"},
        {"ids": np.array([0, 1, 1])},
        {"ids": np.array([0.0, 1.0, 2.0])},
    ],
)
def test_an_altered_index_is_refused(rng, change):
    state = VectorIndex.of([rng.random((3, 2))], np.arange(3)).to_state()
    VectorIndex.from_state(state)
    with pytest.raises(ValueError, match=r"VectorIndex|ids"):
        VectorIndex.from_state({**state, **change})


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The names that the page on search defines, in a folder where it may write."""
    if not PAGE.exists():
        pytest.skip("the pages are not part of an installed package")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("search"))
        names = run(PAGE)
        names["lines"] = Path("items.txt").read_text().splitlines()
    return names


@pytest.mark.parametrize("package", ["faiss", "usearch", "hnswlib"])
def test_the_recipe_of_an_index_finds_the_same_items(page, package):
    pytest.importorskip(package, reason=f"{package} is not installed")
    (block,) = (code for _, code in blocks(PAGE, "py") if package in code)
    names = dict(page)
    exec(block, names)
    distances, ids = page["model"].query(page["queries"], 10)
    assert (np.asarray(names["rows"], dtype=int) == ids).mean() > 0.99
    if "squared" in names:
        np.testing.assert_allclose(np.sqrt(names["squared"]), distances, rtol=1e-2)


def test_the_lines_for_pgvector_are_the_vectors(page):
    keys, texts = zip(*(line.split("\t") for line in page["lines"]), strict=True)
    assert list(map(int, keys)) == list(range(len(page["catalogue"])))
    read = np.array([ast.literal_eval(text) for text in texts], dtype=np.float32)
    np.testing.assert_array_equal(read, page["vectors"])
    assert f"vector({read.shape[1]})" in page["create"]


def test_pgvector_reads_the_lines(page):
    pgvector = pytest.importorskip("pgvector", reason="pgvector is not installed")
    for line, vector in zip(page["lines"][:20], page["vectors"], strict=False):
        text = line.split("\t")[1]
        assert pgvector.Vector.from_text(text).to_list() == vector.tolist()
