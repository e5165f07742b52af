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

from freemetric.mc import Annealing, Constant, ElementMove


def energy(A):
    x = A[:, 0, 0]
    return (x**2 - 1) ** 2 + 0.25 * x


x = np.linspace(-1.8, 1.8, 400)
E = energy(x[:, None, None])

# %%
# We run 50 replicas for 200 steps each. The histograms show the sampled states, the
# lines Boltzmann's distribution. Hot replicas move freely, cold replicas stay near the
# minima. As T goes to zero, nearly all replicas are in the deeper minimum.

rng = np.random.default_rng(0)
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", sharey=True)
for ax, T in zip(axes, (1.0, 0.4, 0.2), strict=True):
    sampler = Annealing(Constant(T), ElementMove(1.0, n_moves=20), n_steps=200)
    start = rng.uniform(-1.5, 1.5, (50, 1, 1))
    steps = sampler.iterate(rng, energy, start)
    visited = [state.A.ravel() for state, info in steps if info.step > 100]
    density = np.exp(-E / T)
    density /= np.trapezoid(density, x)
    ax.hist(np.concatenate(visited), 60, density=True, alpha=0.5)
    ax.plot(x, density, color="tab:red", label="exp(-E / T) / Z")
    ax.plot(x, 0.5 * E, color="0.5", linestyle=":", label="energy (scaled)")
    ax.set(title=f"T = {T}", xlabel="A", ylim=(-0.2, 2.2))
axes[0].set_ylabel("density")
axes[0].legend(frameon=False, fontsize="small")
plt.show()
