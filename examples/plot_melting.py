"""
A metric melts and freezes
==========================

At a low temperature all replicas of a metric are alike. At a high temperature each is
another one. We heat iris from its ground state and cool it again.
"""

# %%
# Two replicas start with the same annealed metric.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE
from freemetric.energies import Confinement, NCAEnergy
from freemetric.mc import Annealing, Geometric, HamiltonianMove
from freemetric.thermodynamics import overlap

X, y = load_iris(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
energy = (NCAEnergy() + 1e-4 * Confinement()).bind(X, y)
cooling = Annealing(Geometric(0.01, 0.93), n_steps=120)
annealed = DMLFE(sampler=cooling, random_state=0).fit(X, y)

# %%
# A schedule is a function of the step. Ours rises from 0.00001 to 0.03 and falls again,
# evenly in the logarithm.

half = 180


def schedule(step, temperatures, energies):
    return 3e-2 * 3000 ** -abs(step / half - 1)


sampler = Annealing(schedule, HamiltonianMove(), n_steps=2 * half, burn_in=1.0)
start = np.repeat(annealed.components_[None], 2, axis=0)
steps = list(sampler.iterate(np.random.default_rng(0), energy, start))
temperature = np.array([info.temperature[0] for _, info in steps])
maps = np.array([state.A for state, _ in steps])
q = overlap(maps[:, 0], maps[:, 1])

# %%
# The overlap of both replicas is 1 in the cold. It falls where the metric melts. When
# the metric freezes again, both replicas come back to the same one: the landscape of
# iris has few valleys. The overlap is averaged over 15 steps.

figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
smooth = np.convolve(np.pad(q, 7, mode="edge"), np.ones(15) / 15, mode="valid")
ax.plot(temperature[:half], smooth[:half], color="tab:red", label="melting")
ax.plot(temperature[half:], smooth[half:], color="tab:blue", label="freezing")
ax.set(xscale="log", xlabel="temperature", ylabel="overlap of two replicas")
ax.set_ylim(0, 1.02)
ax.legend(frameon=False)
plt.show()
