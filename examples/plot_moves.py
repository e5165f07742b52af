"""
Monte Carlo moves
=================

A move proposes the next state of a Monte Carlo run. Matrix moves need only the energy.
Hamiltonian moves give the map a random velocity and integrate Newton's equations. They
change all elements at once, and most proposals are accepted.
"""

# %%
# The energy is a narrow valley in the plane. The matrix move has to take small steps,
# otherwise it is rejected. The Hamiltonian move follows the valley.

import matplotlib.pyplot as plt
import numpy as np

from freemetric.mc import Annealing, Constant, HamiltonianMove, MatrixMove


class Valley:
    H = np.array([[40.0, -36.0], [-36.0, 40.0]])

    def __call__(self, A):
        return self.value_and_grad(A)[0]

    def value_and_grad(self, A):
        G = A @ self.H
        return 0.5 * (A * G).sum(axis=(1, 2)), G


side = np.linspace(-2, 2, 81)
grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 1, 2)
heights = Valley()(grid).reshape(81, 81)

figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained", sharey=True)
for ax, move in zip(axes, (MatrixMove(), HamiltonianMove(n_leapfrog=8)), strict=True):
    rng = np.random.default_rng(3)
    sampler = Annealing(Constant(1.0), move, n_steps=150)
    steps = list(sampler.iterate(rng, Valley(), np.array([[[-1.5, -1.5]]])))
    walk = np.array([state.A[0, 0] for state, _ in steps])
    accepted = 100 * np.mean([info.acceptance for _, info in steps])
    ax.contour(side, side, heights, levels=[1, 4, 16, 64], colors="0.7")
    ax.plot(*walk.T, ".-", linewidth=0.5, markersize=4)
    ax.set(title=f"{type(move).__name__}: {accepted:.0f} % accepted", aspect="equal")
plt.show()

# %%
# Use element moves for small maps and for energies without a gradient.
