"""The large margin against loops, finite differences and what was kept of an earlier
search.
"""

import numpy as np
import pytest

from freemetric.kernels import cpu_kernels

KERNELS = cpu_kernels()


@pytest.fixture
def samples(rng):
    """Samples of three classes, sorted, where each class ends, and two targets of every
    sample.
    """
    y = np.repeat([0, 1, 2], [20, 15, 9])
    Z = rng.standard_normal((44, 3)) + y[:, None]
    end = np.searchsorted(y, y, side="right")
    own = [np.flatnonzero(y == c) for c in range(3)]
    targets = np.array([rng.choice(own[c], 2, replace=False) for c in y])
    targets[3, 1] = targets[40] = -1  # some have fewer
    return Z, y, end, targets


def by_loops(Z, y, targets, share):
    D = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    loss = 0.0
    for i in range(len(Z)):
        for t in targets[i][targets[i] >= 0]:
            loss += share * D[i, t]
            loss += (1 - share) * np.maximum(0, 1 + D[i, t] - D[i, y != y[i]]).sum()
    return loss


def searched(Z, targets, end, margin, kept):
    reach = KERNELS.reaches(Z, targets)
    return KERNELS.searched_loss(Z, targets, reach, end, margin, kept)


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_the_loss_is_that_of_loops(samples, share):
    Z, y, end, targets = samples
    nothing = np.empty((0, 2), np.int32)
    loss, *_ = searched(Z, targets, end, KERNELS.Margin(share, 0.0), nothing)
    assert loss == pytest.approx(by_loops(Z, y, targets, share), rel=1e-12)


def test_the_gradient_is_that_of_the_smooth_loss(samples):
    Z, _, end, targets = samples
    margin, nothing = KERNELS.Margin(0.3, 0.5), np.empty((0, 2), np.int32)
    _, _, gradient, _ = searched(Z, targets, end, margin, nothing)
    for place in ((0, 0), (7, 2), (40, 1), (43, 0)):
        step = np.zeros(Z.shape)
        step[place] = 1e-6
        up, down = (
            searched(Z + s * step, targets, end, margin, nothing)[1] for s in (1, -1)
        )
        assert gradient[place] == pytest.approx((up - down) / 2e-6, rel=1e-4, abs=1e-6)


def test_pairs_that_were_kept_are_enough_until_samples_have_moved(samples, rng):
    Z, _, end, targets = samples
    margin, kept = KERNELS.Margin(0.5, 0.1, slack=0.3), np.empty((1000, 2), np.int32)
    r = KERNELS.reaches(Z, targets)[1]
    *_, found = searched(Z, targets, end, margin, kept)
    assert 0 < found < 1000
    moved = Z + 0.03 * rng.standard_normal(Z.shape)
    reach = KERNELS.reaches(moved, targets)
    assert KERNELS.farthest_move(moved, reach[1], Z, r) <= 0.3
    fast = KERNELS.kept_loss(moved, targets, reach, margin, kept[:found])
    true = searched(moved, targets, end, margin, np.empty((0, 2), np.int32))
    for one, other in zip(fast, true[:3], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_triplets_are_those_of_loops(rng):
    Z, width, share = rng.standard_normal((12, 3)), 0.4, 0.3
    pairs, triplets = rng.integers(12, size=(9, 2)), rng.integers(12, size=(20, 3))

    def loss(Z, width):
        pull = sum(np.sum((Z[i] - Z[j]) ** 2) for i, j in pairs)
        push = 0.0
        for i, j, k in triplets:
            t = 1 + np.sum((Z[i] - Z[j]) ** 2) - np.sum((Z[i] - Z[k]) ** 2)
            if t >= width:
                push += max(t, 0.0) - width / 2
            elif t > 0:
                push += t**2 / (2 * width)
        return share * pull + (1 - share) * push

    margin = KERNELS.Margin(share, width)
    exact, smooth, gradient = KERNELS.triplet_loss(Z, pairs, triplets, margin)
    assert exact == pytest.approx(loss(Z, 0.0))
    assert smooth == pytest.approx(loss(Z, width))
    for place in ((0, 0), (5, 1), (11, 2)):
        step = np.zeros(Z.shape)
        step[place] = 1e-6
        slope = (loss(Z + step, width) - loss(Z - step, width)) / 2e-6
        assert gradient[place] == pytest.approx(slope, rel=1e-4, abs=1e-6)
