"""What every energy must do: rotations, replicas, gradients, Boltzmann's distribution,
DMLFE, model files.
"""

import numpy as np
import pytest
from scipy.stats import special_ortho_group
from sklearn.base import clone

from freemetric import DMLFE
from freemetric.energies import (
    BalancedErrorEnergy,
    Confinement,
    FBetaEnergy,
    KNNErrorEnergy,
    LMNNEnergy,
    LogNCAEnergy,
    MiniBatch,
    MultiLabelEnergy,
    NCAEnergy,
    NeighborLikelihoodEnergy,
    PairEnergy,
    RankingEnergy,
    RegressionEnergy,
    Sparsity,
    TripletEnergy,
    as_energy,
    names_rows,
    needs_targets,
)
from freemetric.mc import Annealing, Constant, ElementMove, MatrixMove

PAIRS, LABELS = [[0, 1], [2, 3], [4, 5], [0, 4], [1, 5], [2, 7]], [1, 1, 1, -1, -1, -1]
TRIPLETS = [[0, 1, 4], [4, 5, 0], [2, 3, 7], [6, 7, 1]]
ROUNDED = [
    MultiLabelEnergy(),
    NCAEnergy(),
    LogNCAEnergy(),
    NeighborLikelihoodEnergy(),
    RegressionEnergy("squared"),
    RegressionEnergy("pinball"),
]
"""Computed in single precision."""
SMOOTH = [
    *ROUNDED,
    LMNNEnergy(2, 0.3),
    PairEnergy(PAIRS, LABELS, margin=1.5),
    TripletEnergy(TRIPLETS),
    Sparsity(),
    Sparsity(0.5),
]
ROUGH = [
    KNNErrorEnergy(3),
    BalancedErrorEnergy(1),
    FBetaEnergy(2.0, 3),
    RankingEnergy("precision", 3),
    RankingEnergy("reciprocal_rank", 3),
    RankingEnergy("ndcg", 3),
    PairEnergy(PAIRS, LABELS, "auc"),
    TripletEnergy(TRIPLETS, "error"),
]
EVERY = [*SMOOTH, *ROUGH]


def name_of(energy):
    words = [value for value in vars(energy).values() if isinstance(value, str)]
    return " ".join([type(energy).__name__, *words])


NAMED = {"ids": name_of}
SHORT = Annealing(Constant(0.0), ElementMove(0.3, n_moves=5), n_steps=3, n_replicas=2)


def targets(energy, y):
    """Classes, or as many sets of labels."""
    sets = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 0]])
    return sets[y] if isinstance(energy, MultiLabelEnergy) else y


@pytest.fixture
def few():
    """Eight samples of two classes in two features, of which only the first tells them
    apart.
    """
    rng = np.random.default_rng(1)
    X = rng.random((8, 2))
    X[:, 0] += np.arange(8) // 4 * 0.6
    return X, np.arange(8) // 4


@pytest.mark.parametrize("energy", EVERY, **NAMED)
def test_rotations_of_the_learned_space_do_not_matter(energy, iris, rng):
    X, y = iris
    bound = energy.bind(X[::3], targets(energy, y[::3]))
    A, Q = rng.standard_normal((8, 4, 4)), special_ortho_group.rvs(4, random_state=0)
    rtol = 1e-5 if energy in ROUNDED else 1e-9
    np.testing.assert_allclose(bound(Q @ A), bound(A), rtol=rtol)
    assert np.ptp(bound(A)) > 0


@pytest.mark.parametrize("energy", SMOOTH, **NAMED)
def test_gradients_are_finite_differences(energy, iris, rng):
    X, y = iris
    device = "reference" if energy in ROUNDED else "cpu"
    bound, h = energy.bind(X[::3], targets(energy, y[::3]), device=device), 1e-6
    A = rng.standard_normal((2, 3, 4))
    value, gradient = bound.value_and_grad(A)
    np.testing.assert_allclose(value, bound(A))
    for place in np.ndindex(3, 4):
        step = np.zeros((3, 4))
        step[place] = h
        difference = (bound(A + step) - bound(A - step)) / (2 * h)
        found = gradient[:, *place]
        np.testing.assert_allclose(found, difference, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("energy", ROUGH, **NAMED)
def test_rough_energies_have_no_gradient_and_no_scale(energy, few, rng):
    bound, A = energy.bind(*few), rng.standard_normal((5, 2, 2))
    assert not hasattr(bound, "value_and_grad")
    np.testing.assert_array_equal(bound(1e-20 * A), bound(A))
    np.testing.assert_array_equal(bound(1e30 * A), bound(A))


OF_ALL_ROWS = [energy for energy in EVERY if not names_rows(energy)]


@pytest.mark.parametrize("energy", OF_ALL_ROWS, **NAMED)
def test_one_data_set_per_replica(energy, iris, rng):
    X, y = iris[0][::3], targets(energy, iris[1][::3])
    stack, A = np.stack([X, X[:, ::-1], X**2]), rng.standard_normal((3, 2, 4))
    alone = [energy.bind(data, y)(A[r : r + 1])[0] for r, data in enumerate(stack)]
    np.testing.assert_array_equal(energy.bind(stack, y)(A), alone)


def exact_mean(bound, T):
    """<E> of exp(-E / T) over maps (1, 2), by quadrature; the confinement makes all
    beyond the square negligible.
    """
    ticks = np.linspace(-1, 1, 60, endpoint=False) + 1 / 60
    A = 5 * np.sqrt(T) * np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 1, 2)
    E = bound(A)
    p = np.exp(-(E - E.min()) / T)
    assert p[np.abs(A).max(axis=(1, 2)) > 4.9 * np.sqrt(T)].max() < 1e-3 * p.max()
    return p @ E / p.sum()


@pytest.mark.parametrize("energy", EVERY, **NAMED)
def test_metropolis_samples_boltzmanns_distribution(energy, few):
    X, y, T = few[0], targets(energy, few[1]), 0.2
    bound = (energy + Confinement()).bind(X, y)
    move = MatrixMove(1.0, n_moves=2)
    sampler = Annealing(Constant(T), move, n_steps=60, burn_in=0.3)
    A = np.random.default_rng(2).normal(0, 0.3, (80, 1, 2))
    run = sampler.iterate(np.random.default_rng(3), bound, A)
    means = np.mean([state.energy for state, info in run if not info.adapting], axis=0)
    truth, error = exact_mean(bound, T), means.std(ddof=1) / np.sqrt(len(means))
    assert error < 0.06 * truth
    assert means.mean() == pytest.approx(truth, abs=4 * error + 0.01 * truth)


@pytest.mark.parametrize("energy", EVERY, **NAMED)
def test_dmlfe_lowers_it_in_any_number_of_threads(energy, iris):
    X, y = iris[0][::3], targets(energy, iris[1][::3])
    model = DMLFE(energy=energy, sampler=SHORT, random_state=0, n_jobs=2)
    model.fit(X, y if needs_targets(energy) else None)
    assert model.energy_ <= energy.bind(X, y)(np.eye(4)[None])[0] + 4e-4
    alone = clone(model).set_params(n_jobs=1).fit(X, y)
    np.testing.assert_array_equal(model.components_, alone.components_)


def test_dmlfe_finds_a_sampler_for_rough_energies(wine):
    X, y = wine[0][::4, :4], wine[1][::4]
    model = DMLFE(2, energy="knn-error", init="pca", random_state=0).fit(X, y)
    quench = Annealing(Constant(0.0), ElementMove(), n_steps=1)
    pca = DMLFE(2, energy="knn-error", init="pca", sampler=quench)
    assert model.energy_ < pca.fit(X, y).energy_
    assert isinstance(as_energy("ranking"), RankingEnergy)


def test_pairs_name_the_rows_that_were_given(iris):
    """DMLFE sorts labelled rows; a sum of energies must still see the pairs that its
    user named.
    """
    X, y = iris[0][::3], iris[1][::3]
    pairs = PairEnergy(PAIRS, LABELS)
    both = NCAEnergy() + pairs
    model = DMLFE(energy=both, confinement=0.0, sampler=SHORT, random_state=0)
    model.fit(X, y)
    energy = both.bind(X, y)
    values = energy(np.concatenate([model.replicas_, model.components_[None]]))
    assert values[-1] == pytest.approx(model.energy_, rel=1e-6)
    np.testing.assert_allclose(values[:-1], model.trace_["energy"][-1], rtol=1e-5)
    weighted = DMLFE(energy=NCAEnergy() + Named(PAIRS, LABELS), sampler=SHORT)
    with pytest.raises(ValueError, match="names rows of X, some of which are left out"):
        weighted.fit(X, y, sample_weight=np.where(np.arange(50) == 3, 0.0, 1.0))


class Named(PairEnergy):
    """Pairs beside an energy with weights."""

    takes_weights = True


def test_pairs_are_never_batched(iris):
    X, y = iris[0][::3], iris[1][::3]
    pairs = PairEnergy(PAIRS, LABELS)
    whole = DMLFE(energy=pairs, sampler=SHORT, random_state=0).fit(X)
    batched = DMLFE(energy=pairs, sampler=SHORT, random_state=0, batch_size=10).fit(X)
    np.testing.assert_array_equal(whole.components_, batched.components_)
    with pytest.raises(ValueError, match="batches have rows of their own"):
        MiniBatch(pairs, 10).bind(X, y)
    with pytest.raises(ValueError, match="rows of one data set"):
        pairs.bind(X[None], y)


def test_only_what_reads_targets_needs_them(iris):
    pairs = PairEnergy(PAIRS, LABELS)
    reading = [NCAEnergy(), pairs + NCAEnergy(), MiniBatch(NCAEnergy())]
    assert all(map(needs_targets, reading))
    assert not any(map(needs_targets, [pairs, 2 * pairs + Sparsity(), Confinement()]))
    with pytest.raises(ValueError, match="requires y"):
        DMLFE().fit(iris[0])


@pytest.mark.parametrize(
    ("energy", "said"),
    [
        (KNNErrorEnergy(0), "n_neighbors of .* must be a positive integer; got 0"),
        (KNNErrorEnergy(2.5), "positive integer; got 2.5"),
        (NCAEnergy(n_neighbors=0), "None or a positive integer; got 0"),
        (NCAEnergy(n_neighbors=2.5), "None or a positive integer; got 2.5"),
        (FBetaEnergy(0), "beta must be positive; got 0"),
        (FBetaEnergy(positive=2), "the number of a class, 0 to 1; got 2"),
        (RankingEnergy("map"), "Unknown score 'map'; known scores: 'precision'"),
        (LMNNEnergy(regularization=1.0), r"regularization must lie in \[0, 1\)"),
        (LMNNEnergy(0), "positive integer; got 0"),
        (PairEnergy(PAIRS, LABELS, "hinge"), "Unknown loss 'hinge'"),
        (PairEnergy(PAIRS, LABELS, margin=0), "margin must be positive"),
        (PairEnergy(PAIRS, LABELS[:-1]), "labels must be 6 numbers"),
        (PairEnergy(PAIRS, [1] * 6), "pairs of both labels"),
        (PairEnergy([[0, 99]], [1]), "pairs name row 99 of 8"),
        (PairEnergy([[0, -1]], [1]), "pairs name row -1 of 8"),
        (TripletEnergy([[0.0, 1.0, 2.0]]), r"integers of shape \(n, 3\)"),
        (TripletEnergy(PAIRS), r"integers of shape \(n, 3\); got shape \(6, 2\)"),
        (MultiLabelEnergy(), r"y has shape \(8,\); expected \(8, n_labels\)"),
        (Sparsity(0.0), "width must be None or positive"),
    ],
    ids=str,
)
def test_says_what_is_wrong(energy, said, few):
    with pytest.raises(ValueError, match=said) as caught:
        energy.bind(*few)
    assert "\n" not in str(caught.value)


def test_says_what_is_wrong_with_targets(few):
    with pytest.raises(ValueError, match="zeros and ones"):
        MultiLabelEnergy().bind(few[0], 2 * np.ones((8, 2)))
    with pytest.raises(ValueError, match="every class has one"):
        RankingEnergy().bind(few[0], np.arange(8))
    with pytest.raises(ValueError, match="at least two samples"):
        KNNErrorEnergy().bind(few[0][:1], few[1][:1])
