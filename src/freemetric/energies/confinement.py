"""A harmonic trap for the map: makes exp(-E / T) a proper distribution."""

from .base import Array, Energy, ScaledEnergy, SumEnergy


class Confinement(Energy):
    """E(A) = |A|_F^2, to be added to another energy with a small factor.

    NCA's energy is bounded and A is not, so at any T > 0 the walk without confinement drifts to an infinite norm,
    where E is the flat error of the single nearest neighbour.

    Examples
    --------
    >>> from freemetric.energies import Confinement, NCAEnergy
    >>> NCAEnergy() + 1e-4 * Confinement()
    SumEnergy(first=NCAEnergy(),
              second=ScaledEnergy(energy=Confinement(), factor=0.0001))
    """

    def bind(self, X, y, *, sample_weight=None, device="cpu"):
        return BoundConfinement()


class BoundConfinement:
    ridge = 1.0

    def __call__(self, A: Array) -> Array:
        return (A**2).sum(axis=(1, 2))

    def value_and_grad(self, A: Array) -> tuple[Array, Array]:
        return self(A), 2 * A


def confined(energy: Energy, confinement: float) -> Energy:
    """The energy plus confinement * |A|^2."""
    return SumEnergy(energy, ScaledEnergy(Confinement(), confinement)) if confinement > 0 else energy
