"""
Sampling Boltzmann's distribution
=================================

At temperature T a state A has the probability :math:`P(A) \\propto \\exp(-E(A) / T)`.
Metropolis' rule samples this distribution without its normalisation. It proposes a step
and accepts it if the energy falls. If the energy rises by :math:`\\Delta E`, it accepts
the step with probability :math:`\\exp(-\\Delta E / T)`.
"""

# %%
# We use a single variable instead of a matrix, so that we can draw everything. The
# energy has two minima; the left one is deeper. The samplers accept any function that
# maps a stack of shape (R, p, d) to R energies.

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
# We run 400 replicas for 200 steps each. The histograms show the sampled states, the
# lines Boltzmann's distribution. Hot replicas move freely, cold replicas stay near the
# minima. As T goes to zero, nearly all replicas are in the deeper minimum.

rng = np.random.default_rng(0)
temperatures = (1.0, 0.4, 0.2)
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", sharey=True)
for ax, T in zip(axes, temperatures, strict=True):
    sampler = Annealing(Constant(T), ElementMove(1.0, n_moves=20), n_steps=200)
    start = rng.uniform(-1.5, 1.5, (400, 1, 1))
    visited = np.concatenate(
        [
            state.A.ravel()
            for state, info in sampler.iterate(rng, energy, start)
            if info.step > 100
        ]
    )
    density = np.exp(-E / T)
    ax.hist(
        visited, bins=60, range=(-1.8, 1.8), density=True, color="tab:blue", alpha=0.5
    )
    ax.plot(
        x, density / np.trapezoid(density, x), color="tab:red", label="exp(-E / T) / Z"
    )
    ax.plot(x, 0.5 * E, color="0.5", linestyle=":", label="energy (scaled)")
    ax.set(title=f"T = {T}", xlabel="A", ylim=(-0.2, 2.2))
axes[0].set_ylabel("density")
axes[0].legend(frameon=False, fontsize="small")
plt.show()

# %%
# Tempering
# ---------
# Now both minima have nearly the same energy, and T = 0.03. A single replica stays in
# the minimum where it starts, because the barrier is high. In parallel tempering,
# replicas at several temperatures swap their states. The cold replica crosses the
# barrier by swaps with hot ones. Swaps follow Metropolis' rule, so every temperature
# keeps its distribution.


def nearly_even(A):
    return energy(A, tilt=0.01)


T, n_steps = 0.03, 5000
move = ElementMove(0.4, n_moves=1, target_acceptance=None)
start = np.full((5, 1, 1), 1.0)
alone = Annealing(Constant(T), move, n_steps=n_steps)
ladder = ParallelTempering((T, 0.06, 0.12, 0.25, 0.5), move, n_steps=n_steps)
walks = {
    "one replica": np.array(
        [state.A[0, 0, 0] for state, _ in alone.iterate(rng, nearly_even, start[:1])]
    ),
    "coldest of five replicas": np.array(
        [s.A[0, 0, 0] for s, _ in ladder.iterate(rng, nearly_even, start)]
    ),
}
figure, axes = plt.subplots(
    2, 1, figsize=(8, 4.2), layout="constrained", sharex=True, sharey=True
)
for ax, (name, walk) in zip(axes, walks.items(), strict=True):
    ax.plot(walk, linewidth=0.5)
    ax.set(title=name, ylabel="A")
axes[1].set_xlabel("Monte Carlo step")
plt.show()

# %%
# The share of steps in the left minimum:

density = np.exp(-nearly_even(x[:, None, None]) / T)
print(f"Boltzmann's distribution: {density[x < 0].sum() / density.sum():.2f}")
for name, walk in walks.items():
    print(f"{name}: {np.mean(walk < 0):.2f}")
