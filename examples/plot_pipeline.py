"""
Mixed tables, pipelines and grid search
=======================================

Learners are scikit-learn transformers. They work in pipelines after a ColumnTransformer
and keep feature names. A grid search can compare different learners.
"""

# %%
# The table has a text column, missing values and features in different units.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_wine
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from freemetric import LFDA, LMNN, NCA, RCA, Euclidean

X, y = load_wine(return_X_y=True, as_frame=True)
rng = np.random.default_rng(0)
X["strength"] = pd.cut(
    X.pop("alcohol"), [0, 12.5, 13.5, 20], labels=["light", "medium", "strong"]
).astype(object)
X["magnesium"] = X["magnesium"].mask(rng.random(len(X)) < 0.1)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

prepare = make_column_transformer(
    (
        make_pipeline(SimpleImputer(), MinMaxScaler()),
        make_column_selector(dtype_include="number"),
    ),
    (OneHotEncoder(sparse_output=False), make_column_selector(dtype_exclude="number")),
    verbose_feature_names_out=False,
)
model = Pipeline(
    [("prepare", prepare), ("metric", Euclidean()), ("vote", KNeighborsClassifier())]
)

# %%
# The grid contains the learner itself and parameters of some learners. All steps,
# including imputation, are refitted in every fold.

grid = [
    {"metric": [Euclidean(), RCA(), LFDA(), LMNN()], "vote__n_neighbors": [1, 5, 15]},
    {
        "metric": [NCA()],
        "metric__n_components": [2, 4, None],
        "vote__n_neighbors": [1, 5, 15],
    },
]
search = GridSearchCV(model, grid, cv=5).fit(X_train, y_train)
print(f"best: {search.best_params_}")
print(
    f"accuracy of inner folds {search.best_score_:.3f}, "
    f"of test samples {search.score(X_test, y_test):.3f}"
)

# %%
# The error of each learner in the inner folds:

results = pd.DataFrame(search.cv_results_)
results["learner"] = [type(metric).__name__ for metric in results["param_metric"]]
best = results.groupby("learner")["mean_test_score"].max().sort_values()
figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.barh(best.index, 100 * (1 - best))
ax.set(xlabel="error in %, best setting of each learner")
plt.show()

# %%
# Feature names are kept. This is the learned map, with features as rows:

space = (
    Pipeline(search.best_estimator_.steps[:-1])
    .set_output(transform="pandas")
    .fit(X_train, y_train)
)
components = pd.DataFrame(
    space[-1].components_.T,
    space[-1].feature_names_in_,
    space.transform(X_test).columns,
)
print(components.iloc[:, :3].round(2))
