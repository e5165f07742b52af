"""Overlaps by hand, and elastic bands over passes whose height is known."""

import numpy as np
import pytest

from freemetric.energies import Confinement, NCAEnergy
from freemetric.thermodynamics import (
    TemperingSettings,
    elastic_band,
    overlap,
    temper,
)

from ..mc.test_physics import Well


class MuellerBrown:
    """The surface of K. Müller and L. D. Brown (1979), whose minima and saddles are
    published; moved by (3, 3).
    """

    amplitude = np.array([-200.0, -100.0, -170.0, 15.0])
    a, b, c = (
        np.array([-1, -1, -6.5, 0.7]),
        np.array([0, 0, 11, 0.6]),
        np.array([-10, -10, -6.5, 0.7]),
    )
    x, y = np.array([1, 0, -0.5, -1]), np.array([0, 0.5, 1.5, 1])

    def value_and_grad(self, A):
        dx, dy = A[:, 0, :1] - 3 - self.x, A[:, 0, 1:] - 3 - self.y
        parts = self.amplitude * np.exp(
            self.a * dx**2 + self.b * dx * dy + self.c * dy**2
        )
        slope_x = (parts * (2 * self.a * dx + self.b * dy)).sum(axis=1)
        slope_y = (parts * (self.b * dx + 2 * self.c * dy)).sum(axis=1)
        return parts.sum(axis=1), np.stack([slope_x, slope_y], axis=1)[:, None]


class BentWells:
    """Two wells at x = -1 and 1 joined by a bent valley: a pass of height 1, where the
    straight line has 1 + 5 / 4.
    """

    def value_and_grad(self, A):
        x, y = A[:, 0, 0], A[:, 0, 1] - 3
        off = y - 0.5 * (1 - x**2)
        slope = np.stack([4 * x * (x**2 - 1) + 10 * off * x, 10 * off], axis=1)
        return (x**2 - 1) ** 2 + 5 * off**2, slope[:, None]


def test_the_overlap_is_that_of_the_matrices(rng):
    A, B = rng.standard_normal((2, 6, 3, 5))
    M, N = np.swapaxes(A, 1, 2) @ A, np.swapaxes(B, 1, 2) @ B
    by_hand = [
        np.vdot(m, n) / np.sqrt(np.vdot(m, m) * np.vdot(n, n))
        for m, n in zip(M, N, strict=True)
    ]
    np.testing.assert_allclose(overlap(A, B), by_hand)
    turned = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    np.testing.assert_allclose(overlap(A, 7 * turned @ A), 1)
    assert overlap(np.zeros((1, 2)), np.ones((1, 2))) == 0


@pytest.mark.parametrize("scale", [1.0, 1e-6])
def test_a_band_finds_the_pass_through_a_bent_valley(scale):
    """Whatever the units of the energy."""

    class Scaled(BentWells):
        def value_and_grad(self, A):
            value, slope = super().value_and_grad(A)
            return scale * value, scale * slope

    band = elastic_band(Scaled(), np.array([[-1.0, 3.0]]), np.array([[1.0, 3.0]]))
    assert band.barrier == pytest.approx(scale, rel=1e-2)
    top = band.maps[band.energy.argmax(), 0]
    np.testing.assert_allclose(top, [0, 3.5], atol=0.02)
    assert band.force < 0.05


def test_a_band_finds_the_published_saddle():
    ends = np.array([[[-0.558, 1.442]], [[0.623, 0.028]]]) + 3
    band = elastic_band(MuellerBrown(), *ends)
    assert band.energy[[0, -1]] == pytest.approx([-146.70, -108.17], abs=0.01)
    assert band.energy.max() == pytest.approx(-40.665, abs=0.1)
    np.testing.assert_allclose(
        band.maps[band.energy.argmax(), 0] - 3, [-0.822, 0.624], atol=0.02
    )
    assert band.barrier == pytest.approx(-40.665 + 108.167, abs=0.1)


def test_a_rotation_of_the_learned_space_is_no_barrier(iris):
    X, y = iris
    energy = (NCAEnergy() + 1e-4 * Confinement()).bind(X, y)
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    band = elastic_band(energy, np.eye(4), turn @ np.eye(4), n_images=3, n_steps=10)
    assert abs(band.barrier) < 1e-6
    np.testing.assert_allclose(band.maps[-1], np.eye(4), atol=1e-9)


@pytest.mark.slow
def test_overlaps_of_ladders_are_those_of_independent_draws():
    """Maps of two elements in a round well have a uniform angle: q is cos^2 of it, of
    mean 1/2 and variance 1/8.
    """
    settings = TemperingSettings(n_steps=800, n_rungs=2, n_ladders=2)
    q = temper(
        Well(), np.zeros((1, 2)), 1.0, (0.5, 1.0), settings, random_state=0
    ).overlaps
    assert q.shape == (800, 1, 2)
    np.testing.assert_allclose(q.mean(axis=(0, 1)), 1 / 2, atol=0.06)
    np.testing.assert_allclose(q.var(axis=(0, 1)), 1 / 8, atol=0.02)
