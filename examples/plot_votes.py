"""
Weights of the candidates
=========================

:class:`~freemetric.FreeEnergyClassifier` samples several kinds of metrics. Each replica
learns from a part of the samples and is scored on the others. The scores determine the
weights of the kinds in the vote.
"""

# %%
# We generate three data sets that favour different metrics. The classes differ in a
# linear combination of features, in thresholds of two of eight features, or in a way
# that no linear map improves much.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from freemetric import FreeEnergyClassifier
from freemetric.plotting import NeighborsCurveDisplay

rng = np.random.default_rng(0)
mixed = rng.normal(size=(270, 6))
mixed[:, 0] = mixed[:, 1] + 0.3 * rng.normal(size=270)
skewed = np.exp(rng.normal(size=(270, 8)))
tables = {
    "mixture": (mixed, mixed[:, 0] > mixed[:, 1]),
    "thresholds": (skewed, (skewed[:, 0] > 1) * 2 + (skewed[:, 1] > 1)),
    "moons": make_moons(270, noise=0.2, random_state=0),
}
displays = {}
for name, (X, y) in tables.items():
    model = FreeEnergyClassifier(n_replicas=24, random_state=0).fit(X, y)
    print(f"{name:10} out-of-bag accuracy {model.oob_score_:.3f}")
    displays[name] = NeighborsCurveDisplay.of(model)

# %%
# A candidate is a view of the features and a form of the map. Its weight is a Boltzmann
# factor: it falls exponentially with the out-of-bag loss.

figure, axis = plt.subplots(figsize=(8, 4), layout="constrained")
for i, (name, display) in enumerate(displays.items()):
    weights = {curve.name: curve.weight.sum() for curve in display.curves}
    names = sorted(weights)
    place = np.arange(len(names)) + 0.27 * i
    axis.barh(place, [weights[name] for name in names], 0.27, label=name)
axis.set(yticks=np.arange(len(names)) + 0.27, yticklabels=names, xlabel="weight")
axis.legend(frameon=False)
plt.show()

# %%
# Numbers of neighbours have weights, too. Marks are as large as the weights.

displays["thresholds"].plot()
plt.show()
