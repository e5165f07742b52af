"""
A metric from labelled pairs
============================

Labels exist only for pairs of images: the same digit, or different digits. Such labels
are enough to learn a metric and a threshold.
"""

# %%
# We train on 600 pairs from the first half of the images and test on pairs from the
# second half.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import roc_curve

from freemetric import ITML, LDML, SDML, Euclidean, PairClassifier

X, digit = load_digits(return_X_y=True)
X = X / 16
rng = np.random.default_rng(0)


def labelled_pairs(rows, n):
    """n pairs of the same digit and n of different ones."""
    pairs = rng.choice(rows, size=(30 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = digit[pairs[:, 0]] == digit[pairs[:, 1]]
    return np.vstack([pairs[same][:n], pairs[~same][:n]]), np.repeat([1, -1], n)


pairs, labels = labelled_pairs(np.arange(0, 900), 300)
new, truth = labelled_pairs(np.arange(900, 1797), 1000)

# %%
# Pairs are indices of rows of ``preprocessor``. The score is the area under the ROC
# curve: the probability that a pair of the same digit is closer than a pair of
# different digits.

plain = Euclidean().fit(X).pair_score(X[new])
figure, ax = plt.subplots(figsize=(5.6, 4.2), layout="constrained")
ax.plot(*roc_curve(truth, plain)[:2], color="0.6", label="pixels")
for learner in (ITML(random_state=0), LDML(), SDML()):
    model = PairClassifier(learner, preprocessor=X).fit(pairs, labels)
    wrong, found, _ = roc_curve(truth, model.decision_function(new))
    name = f"{type(learner).__name__}, area {model.score(new, truth):.3f}"
    ax.plot(wrong, found, label=name)
ax.set(xlabel="false positive rate", ylabel="true positive rate")
ax.legend(frameon=False)
plt.show()
