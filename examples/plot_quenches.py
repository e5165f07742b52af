"""
Annealing or quenching?
=======================

Slow cooling from a high temperature finds deep valleys of a landscape that quick cooling would miss. Does the
landscape of metrics need it? Compare one annealing, as published, with ten quenches (T = 0 from the first step) that
start anywhere.
"""

# %%
# The state is always a stack of replicas: ten quenches are one walk of ten.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from freemetric import DMLFE
from freemetric.display import TraceDisplay
from freemetric.mc import Annealing, Constant, ElementMove

X, y = load_iris(return_X_y=True)
X = MinMaxScaler().fit_transform(X)

annealed = DMLFE.paper(random_state=0).fit(X, y)
move = ElementMove(1.0, n_moves="samples", target_acceptance=None)
quenches = Annealing(Constant(0.0), move, n_steps=60, n_replicas=10)
quenched = DMLFE.paper(sampler=quenches, random_state=0).fit(X, y)

figure, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
ax.plot(quenched.trace_["energy"], color="tab:blue", alpha=0.35, linewidth=1)
ax.plot([], [], color="tab:blue", label="10 quenches")
ax.plot(annealed.trace_["energy"], color="tab:red", label="annealing")
ax.set(xlabel="Monte Carlo step", ylabel="energy", yscale="log", ylim=(1e-4, 0.3))
ax.legend(frameon=False)
plt.show()

# %%
# A quench falls at once, the annealing only when it has become cold. Where do they end?

final = np.sort(quenched.trace_["energy"][-1])
print(f"annealing: {annealed.energy_:.4f}")
print(
    f"quenches:  {final[0]:.4f} to {final[-1]:.4f}; {(final <= annealed.energy_).sum()} of 10 at or below the annealing"
)

# %%
# How different are the valleys? A rotation of the learned space changes no distance, so compare :math:`M = A^T A`, each
# scaled to the same size: 1 is the same metric, 0 has nothing in common.

M = np.array([A.T @ A / np.linalg.norm(A.T @ A) for A in quenched.replicas_])
alike = np.einsum("aij,bij->ab", M, M)
figure, ax = plt.subplots(figsize=(4.6, 3.8), layout="constrained")
shades = ax.imshow(alike, vmin=0, vmax=1, cmap="viridis")
ax.set(xlabel="quench", ylabel="quench", xticks=[], yticks=[])
figure.colorbar(shades, label="agreement of the metrics")
plt.show()

# %%
# Many valleys of nearly the same depth, with different metrics at their bottoms: "nearly degenerate ground states".
# None of them is *the* metric. That is a reason to let several vote, as :class:`~freemetric.FreeEnergyClassifier`
# does.
#
# The walk of the annealing in full. Nearly every trial is accepted even when it is cold: without confinement the map
# has grown until a displacement by one hardly changes it. See :ref:`sphx_glr_auto_examples_plot_confinement.py`.

TraceDisplay.from_estimator(annealed)
plt.show()
