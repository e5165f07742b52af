"""
Sampling Boltzmann's distribution
=================================

At temperature T a state A has the probability :math:`P(A) \\propto \\exp(-E(A) / T)`. Metropolis' rule draws from it
without ever knowing the normalisation: propose a step; if the energy falls, go; if it rises by :math:`\\Delta E`, go
with probability :math:`\\exp(-\\Delta E / T)`.
"""

# %%
# One number instead of a matrix, so that everything can be drawn: a landscape of two valleys, the left one deeper. The
# samplers accept any function from a stack (R, p, d) to R energies.

import matplotlib.pyplot as plt
import numpy as np

from freemetric.mc import Annealing, Constant, ElementMove, ParallelTempering


def energy(A, tilt=0.25):
    x = A[:, 0, 0]
    return (x**2 - 1) ** 2 + tilt * x


x = np.linspace(-1.8, 1.8, 400)
E = energy(x[:, None, None])

# %%
# Temperature
# -----------
# 400 walkers, 200 steps each. The histograms are where they were; the lines are Boltzmann's distribution. Hot
# walkers ignore the landscape, cold ones stay near the minima. As T goes to zero, the deeper minimum gets nearly all.

rng = np.random.default_rng(0)
temperatures = (1.0, 0.4, 0.2)
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", sharey=True)
for ax, T in zip(axes, temperatures, strict=True):
    sampler = Annealing(Constant(T), ElementMove(1.0, n_moves=20), n_steps=200)
    start = rng.uniform(-1.5, 1.5, (400, 1, 1))
    visited = np.concatenate(
        [state.A.ravel() for state, info in sampler.iterate(rng, energy, start) if info.step > 100]
    )
    law = np.exp(-E / T)
    ax.hist(visited, bins=60, range=(-1.8, 1.8), density=True, color="tab:blue", alpha=0.5)
    ax.plot(x, law / np.trapezoid(law, x), color="tab:red", label="exp(-E / T) / Z")
    ax.plot(x, 0.5 * E, color="0.5", linestyle=":", label="energy (scaled)")
    ax.set(title=f"T = {T}", xlabel="A", ylim=(-0.2, 2.2))
axes[0].set_ylabel("density")
axes[0].legend(frameon=False, fontsize="small")
plt.show()

# %%
# Tempering
# ---------
# Now the valleys are nearly equal, and T = 0.03. A walker needs ages to cross the hill: it stays in the valley where it
# began. In parallel tempering replicas at several temperatures exchange their states, and the cold one gets across
# through the hot ones. Exchanges follow Metropolis' rule too, so every temperature keeps its distribution.


def nearly_even(A):
    return energy(A, tilt=0.01)


T, n_steps = 0.03, 5000
move = ElementMove(0.4, n_moves=1, target_acceptance=None)
start = np.full((5, 1, 1), 1.0)
alone = Annealing(Constant(T), move, n_steps=n_steps)
ladder = ParallelTempering((T, 0.06, 0.12, 0.25, 0.5), move, n_steps=n_steps)
walks = {
    "alone": np.array([state.A[0, 0, 0] for state, _ in alone.iterate(rng, nearly_even, start[:1])]),
    "the coldest of five that exchange": np.array([s.A[0, 0, 0] for s, _ in ladder.iterate(rng, nearly_even, start)]),
}
figure, axes = plt.subplots(2, 1, figsize=(8, 4.2), layout="constrained", sharex=True, sharey=True)
for ax, (name, walk) in zip(axes, walks.items(), strict=True):
    ax.plot(walk, linewidth=0.5)
    ax.set(title=name, ylabel="A")
axes[1].set_xlabel("Monte Carlo step")
plt.show()

# %%
# How much of the time is spent in the left valley?

law = np.exp(-nearly_even(x[:, None, None]) / T)
print(f"Boltzmann's distribution: {law[x < 0].sum() / law.sum():.2f}")
for name, walk in walks.items():
    print(f"{name}: {np.mean(walk < 0):.2f}")
