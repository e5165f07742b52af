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

models = {
    type(learner).__name__: PairClassifier(learner, preprocessor=X).fit(pairs, labels)
    for learner in (ITML(random_state=0), LDML(), SDML())
}
plain = Euclidean().fit(X).pair_score(X[new])
figure, (ax, side) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
ax.plot(*roc_curve(truth, plain)[:2], color="0.6", label="pixels")
for name, model in models.items():
    wrong, found, _ = roc_curve(truth, model.decision_function(new))
    ax.plot(wrong, found, label=f"{name}, area {model.score(new, truth):.3f}")
ax.set(xlabel="false positive rate", ylabel="true positive rate")
ax.legend(frameon=False)

# %%
# A metric separates its own training pairs too well, so the threshold is chosen by
# cross-validation. ``calibrate`` sets the criterion: the highest accuracy, or the
# highest true positive rate with at most 5 % false positives.

model = PairClassifier(ITML(random_state=0), preprocessor=X, n_folds=5).fit(
    pairs, labels
)
distances = model.pair_distance(new)
bins = np.linspace(0, distances.max(), 50)
side.hist(
    [distances[truth > 0], distances[truth < 0]],
    bins,
    histtype="stepfilled",
    alpha=0.6,
    label=["same digit", "different digits"],
)
for strategy, style in (("accuracy", "-"), ("max_tpr", "--")):
    criterion = {"strategy": strategy, "min_rate": 0.95}
    threshold = model.fit(pairs, labels, calibrate=criterion).threshold_
    accuracy = 100 * np.mean(model.predict(new) == truth)
    false_positives = 100 * np.mean(model.predict(new)[truth < 0] > 0)
    side.axvline(threshold, color="black", linestyle=style, label=strategy)
    print(
        f"{strategy:9} threshold {threshold:.2f}: accuracy {accuracy:.1f} %, "
        f"false positives {false_positives:.1f} %"
    )
side.set(xlabel="learned distance", ylabel="test pairs", yticks=[])
side.legend(frameon=False)
plt.show()
