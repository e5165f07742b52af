"""
Crossing a barrier by tempering
===============================

A cold replica stays in the minimum where it starts. In parallel tempering, replicas at
several temperatures swap their states, and the cold one reaches the other minimum.
"""

# %%
# Both minima have nearly the same energy. The barrier between them is thirty times the
# temperature.

import matplotlib.pyplot as plt
import numpy as np

from freemetric.mc import Annealing, Constant, ElementMove, ParallelTempering


def energy(A):
    x = A[:, 0, 0]
    return (x**2 - 1) ** 2 + 0.01 * x


T, n_steps = 0.03, 5000
temperatures = (T, 0.06, 0.12, 0.25, 0.5)
move = ElementMove(0.4, n_moves=1, target_acceptance=None)
samplers = {
    "one replica": Annealing(Constant(T), move, n_steps=n_steps),
    "coldest of five replicas": ParallelTempering(temperatures, move, n_steps=n_steps),
}

# %%
# Swaps follow Metropolis' rule, so that every temperature keeps its distribution.

rng = np.random.default_rng(0)
walks = {}
for name, sampler in samplers.items():
    n_replicas = 1 if name == "one replica" else len(temperatures)
    steps = sampler.iterate(rng, energy, np.ones((n_replicas, 1, 1)))
    walks[name] = np.array([state.A[0, 0, 0] for state, _ in steps])

figure, axes = plt.subplots(2, figsize=(8, 4), layout="constrained", sharex=True)
for ax, (name, walk) in zip(axes, walks.items(), strict=True):
    ax.plot(walk, linewidth=0.5)
    ax.set(title=name, ylabel="A", ylim=(-1.8, 1.8))
axes[1].set_xlabel("Monte Carlo step")
plt.show()

# %%
# The share of steps in the left minimum, and what Boltzmann's distribution says:

x = np.linspace(-1.8, 1.8, 400)
density = np.exp(-energy(x[:, None, None]) / T)
print(f"Boltzmann's distribution: {density[x < 0].sum() / density.sum():.2f}")
for name, walk in walks.items():
    print(f"{name}: {np.mean(walk < 0):.2f}")
