"""
Monte Carlo moves
=================

A move proposes the next state of a Monte Carlo run. Element moves need only the energy.
Hamiltonian moves give the map a random velocity and integrate Newton's equations. They
change all elements at once, and most proposals are accepted.
"""

# %%
# Two variables
# -------------
# The energy is a narrow valley in the plane. The matrix move has to take small steps,
# otherwise it is rejected. The Hamiltonian move follows the valley.

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from freemetric import DMLFE
from freemetric.mc import Annealing, Constant, ElementMove, HamiltonianMove, MatrixMove


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
    accepted = np.mean([info.acceptance for _, info in steps])
    ax.contour(side, side, heights, levels=[1, 4, 16, 64], colors="0.7")
    ax.plot(*walk.T, ".-", linewidth=0.5, markersize=4)
    ax.set(
        title=f"{type(move).__name__}: {100 * accepted:.0f} % accepted", aspect="equal"
    )
plt.show()

# %%
# A metric
# --------
# A map from the pixels of digits to 8 dimensions has hundreds of elements. Both runs
# have the same temperature. Both converge to Boltzmann's distribution. In a quadratic
# minimum, its mean energy is T / 2 for every element of the map.

X, y = load_digits(return_X_y=True)
X, y = X[:400] / 16, y[:400]
X = X[:, X.std(axis=0) > 0]  # without constant pixels
T, p = 1e-4, 8
samplers = {
    "ElementMove": Annealing(Constant(T), ElementMove(0.3), n_steps=25),
    "HamiltonianMove": Annealing(Constant(T), HamiltonianMove(), n_steps=250),
}
figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for name, sampler in samplers.items():
    # compiles the kernels
    DMLFE(p, sampler=Annealing(move=sampler.move, n_steps=1), init="pca").fit(X, y)
    start = time.perf_counter()
    model = DMLFE(p, sampler=sampler, init="pca", random_state=0).fit(X, y)
    seconds = np.linspace(0, time.perf_counter() - start, model.n_iter_ + 1)[1:]
    ax.plot(seconds, model.trace_["energy"][:, 0], ".-", markersize=4, label=name)
ax.axhline(
    X.shape[1] * p * T / 2, color="0.5", linestyle=":", label="T / 2 per element"
)
ax.set(xlabel="seconds", ylabel="energy", yscale="log")
ax.legend(frameon=False)
plt.show()

# %%
# The Hamiltonian run converges first, after a few trajectories. Use element moves for
# small maps and for energies without a gradient.
# :class:`~freemetric.mc.StretchRotateMove` rotates and stretches planes of two
# features.
