"""
Images before and after
=======================

NCA learns a plane in which images of the same digit are close to each other.
"""

# %%
# A learner is a transformer and can be the last step of a pipeline. We remove pixels that are constant.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from sklearn.datasets import load_digits
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import NCA, PCA
from freemetric.display import EmbeddingDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=900, stratify=y, random_state=0)


def space(learner):
    return make_pipeline(MinMaxScaler(), VarianceThreshold(), learner)


model = space(NCA(n_components=2, init="lda", max_iter=200)).fit(X_train, y_train)
EmbeddingDisplay.from_estimator(model, X_test, y_test, before=True, s=12)
plt.show()

# %%
# The same plane with images instead of points. Images that would overlap are left out.

Z = model.transform(X_test)
figure, ax = plt.subplots(figsize=(8, 7), layout="constrained")
ax.scatter(*Z.T, s=0)
shown = np.empty((0, 2))
for image, point in zip(X_test, Z, strict=True):
    if len(shown) and np.min(np.linalg.norm((shown - point) / np.ptp(Z, axis=0), axis=1)) < 0.035:
        continue
    shown = np.vstack([shown, point])
    ax.add_artist(AnnotationBbox(OffsetImage(image.reshape(8, 8), cmap="gray_r", zoom=1.7), point, frameon=False))
ax.set(xticks=[], yticks=[])
plt.show()

# %%
# The test error of 5-NN for several numbers of dimensions:

for n in (2, 4, 8, 16):
    learners = {"PCA": PCA(n), "NCA": NCA(n, init="lda" if n < 9 else "pca", max_iter=200)}
    errors = {}
    for name, learner in learners.items():
        knn = make_pipeline(space(learner), KNeighborsClassifier()).fit(X_train, y_train)
        errors[name] = 100 * (1 - knn.score(X_test, y_test))
    print(f"{n:2} dimensions: " + ", ".join(f"{name} {error:4.1f} %" for name, error in errors.items()))
