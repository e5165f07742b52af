"""
Images before and after
=======================

NCA learns a plane in which images of the same digit are close to each other.
"""

# %%
# A learner is a transformer and can be the last step of a pipeline. We remove pixels
# that are constant. PCA shows the images before learning.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from sklearn.datasets import load_digits
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from freemetric import NCA, PCA
from freemetric.plotting import EmbeddingDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=900, stratify=y, random_state=0
)


def fitted(learner):
    model = make_pipeline(MinMaxScaler(), VarianceThreshold(), learner)
    return model.fit(X_train, y_train)


model = fitted(NCA(n_components=2, init="lda", max_iter=200))
figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for axis, shown in zip(axes, (fitted(PCA(2)), model), strict=True):
    EmbeddingDisplay.from_estimator(shown, X_test, y_test, ax=axis, s=12)
plt.show()

# %%
# The same plane with images instead of points. Images that would overlap are left out.

Z = model.transform(X_test)
figure, axis = plt.subplots(figsize=(8, 7), layout="constrained")
axis.scatter(*Z.T, s=0)
shown = np.full((1, 2), np.inf)
for image, point in zip(X_test, Z, strict=True):
    distances = np.linalg.norm((shown - point) / np.ptp(Z, axis=0), axis=1)
    if distances.min() > 0.035:
        shown = np.vstack([shown, point])
        picture = OffsetImage(image.reshape(8, 8), cmap="gray_r", zoom=1.7)
        axis.add_artist(AnnotationBbox(picture, point, frameon=False))
axis.set(xticks=[], yticks=[])
plt.show()
