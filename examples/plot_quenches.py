"""
Annealing or quenching?
=======================

Slow cooling from a high temperature can find deep minima that fast cooling misses. We
test whether this holds for metrics. We compare the published annealing with ten
quenches, which are runs at T = 0 from random starting points.
"""

# %%
# A state is a stack of replicas, so ten quenches are one run with ten replicas.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE
from freemetric.mc import Annealing, Constant, ElementMove
from freemetric.plotting import TraceDisplay

X, y = load_iris(return_X_y=True)
X = MinMaxScaler().fit_transform(X)

annealed = DMLFE.paper(random_state=0).fit(X, y)
move = ElementMove(1.0, n_moves="samples", target_acceptance=None)
quenches = Annealing(Constant(0.0), move, n_steps=60, n_replicas=10)
quenched = DMLFE.paper(sampler=quenches, random_state=0).fit(X, y)

figure, axis = plt.subplots(figsize=(6.4, 4), layout="constrained")
axis.plot(quenched.trace_["energy"], color="tab:blue", alpha=0.35, linewidth=1)
axis.plot([], [], color="tab:blue", label="10 quenches")
axis.plot(annealed.trace_["energy"], color="tab:red", label="annealing")
axis.set(xlabel="Monte Carlo step", ylabel="energy", yscale="log", ylim=(1e-4, 0.3))
axis.legend(frameon=False)
plt.show()

# %%
# The energy of quenches falls immediately, that of the annealing when the temperature
# is low. The final energies:

final = np.sort(quenched.trace_["energy"][-1])
below = (final <= annealed.energy_).sum()
print(f"annealing: {annealed.energy_:.4f}")
print(f"quenches:  {final[0]:.4f} to {final[-1]:.4f}; {below} of 10 not above it")

# %%
# There are many minima of nearly the same energy. This is a reason to average over
# several metrics, as :class:`~freemetric.FreeEnergyClassifier` does. The last figure
# shows the whole annealing. Nearly all trials are accepted even at low temperatures:
# without confinement the map has grown so large that a displacement of one hardly
# changes it. See :ref:`sphx_glr_auto_examples_plot_confinement.py`.

TraceDisplay.from_estimator(annealed)
plt.show()
