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
# A schedule is a rule for the next temperature. Ours rises from 0.00001 to 0.03 and
# falls again, evenly in the logarithm.

half = 180
rng = np.random.default_rng(0)
A = np.repeat(annealed.components_[None], 2, axis=0)
curves = {}
for name, start, factor in (("melting", 1e-5, 3000), ("freezing", 3e-2, 1 / 3000)):
    schedule = Geometric(start, factor ** (1 / half))
    sampler = Annealing(schedule, HamiltonianMove(), n_steps=half, burn_in=1.0)
    temperatures, overlaps = [], []
    for state, info in sampler.iterate(rng, energy, A):
        temperatures.append(info.temperature[0])
        overlaps.append(overlap(state.A[:1], state.A[1:])[0])
    A = state.A
    curves[name] = temperatures, overlaps

# %%
# The overlap of both replicas is 1 in the cold. It falls where the metric melts. When
# the metric freezes again, both replicas come back to the same one: the landscape of
# iris has few valleys. The overlap is averaged over 15 steps.

figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for name, (temperatures, overlaps) in curves.items():
    smooth = np.convolve(overlaps, np.ones(15) / 15, mode="valid")
    ax.plot(temperatures[7:-7], smooth, label=name)
ax.set(xscale="log", xlabel="temperature", ylabel="overlap of two replicas")
ax.set_ylim(0, 1.02)
ax.legend(frameon=False)
plt.show()
