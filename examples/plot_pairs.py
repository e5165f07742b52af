"""
A metric from labelled pairs
============================

There are no labels of single images, only of pairs: "the same digit" or "not the same". This is enough to learn a
distance and a threshold.
"""

# %%
# 600 labelled pairs of the first half of the images; the other half is for testing.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import roc_curve

from freemetric import ITML, LDML, SDML, Euclidean, PairClassifier

X, digit = load_digits(return_X_y=True)
X = X / 16
rng = np.random.default_rng(0)


def answers(rows, n):
    """n pairs of the same digit and n of different ones."""
    pairs = rng.choice(rows, size=(30 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = digit[pairs[:, 0]] == digit[pairs[:, 1]]
    return np.vstack([pairs[same][:n], pairs[~same][:n]]), np.repeat([1, -1], n)


known, said = answers(np.arange(0, 900), 300)
new, truth = answers(np.arange(900, 1797), 1000)

# %%
# Pairs are rows of ``preprocessor``. The score is the area under the ROC curve: how often a pair of one digit is nearer
# than a pair of two.

models = {
    type(learner).__name__: PairClassifier(learner, preprocessor=X).fit(known, said)
    for learner in (ITML(random_state=0), LDML(), SDML())
}
plain = Euclidean().fit(X).pair_score(X[new])
figure, (ax, side) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
ax.plot(*roc_curve(truth, plain)[:2], color="0.6", label="pixels")
for name, model in models.items():
    wrong, found, _ = roc_curve(truth, model.decision_function(new))
    ax.plot(wrong, found, label=f"{name}, area {model.score(new, truth):.3f}")
ax.set(xlabel="different digits called the same", ylabel="same digits found")
ax.legend(frameon=False)

# %%
# A metric makes the pairs that it has learned from look better than they are, so the line is drawn on folds that were
# left out. What the line is for is up to you: the most right answers, or as many of the same digit as can be found
# while no more than one in twenty of the others is let through.

model = PairClassifier(ITML(random_state=0), preprocessor=X, n_folds=5).fit(known, said)
distances = model.pair_distance(new)
bins = np.linspace(0, distances.max(), 50)
side.hist([distances[truth > 0], distances[truth < 0]], bins, histtype="stepfilled", alpha=0.6, label=["same", "not"])
for strategy, style in (("accuracy", "-"), ("max_tpr", "--")):
    wanted = {"strategy": strategy, "min_rate": 0.95}
    line = model.fit(known, said, calibrate=wanted).threshold_
    right = 100 * np.mean(model.predict(new) == truth)
    through = 100 * np.mean(model.predict(new)[truth < 0] > 0)
    side.axvline(line, color="black", linestyle=style, label=strategy)
    print(f"{strategy:9} line at {line:.2f}: {right:.1f} % right, {through:.1f} % of the different pairs let through")
side.set(xlabel="learned distance", ylabel="new pairs", yticks=[])
side.legend(frameon=False)
plt.show()
