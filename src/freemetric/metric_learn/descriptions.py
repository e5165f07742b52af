"""Descriptions of parameters and attributes, and examples, from which the docstrings of the estimators are made."""

from ..learners.parameters import DESCRIPTIONS

METRIC = '{"identity", "covariance", "random"} or array of shape (n_features, n_features)'
START = "or array of shape (n_components, n_features)"

PARAMETERS = {
    "n_components": ("int or None", "Dimension of the learned space; None keeps the number of features."),
    "init": (
        f'{{"auto", "pca", "lda", "identity", "random"}} {START}',
        'Where the search begins. "auto": "lda" if there are more classes than components, else "pca" if there are '
        'fewer components than features and points, else "identity".',
    ),
    "MLKR.init": (
        f'{{"auto", "pca", "identity", "random"}} {START}',
        'Where the search begins. "auto": "pca" if there are fewer components than features and points, else '
        '"identity".',
    ),
    "BaseMMC.init": (METRIC, "Sets the scale of the result only: the maximum does not depend on the start."),
    "max_iter": ("int", "Maximum number of iterations, or of mini-batches."),
    "tol": ("float", "Stop when the objective is within the square of this, relative to itself, of the optimum."),
    "NCA.tol": ("float or None", "Stop when an iteration lowers the expected error by less; None: 1e-7."),
    "MLKR.tol": ("float or None", "Stop when an iteration lowers the error by less; None: as `freemetric.MLKR`."),
    "prior": (METRIC, "The metric to stay close to, positive definite."),
    "gamma": ("float", "Weight of the pairs against the prior."),
    "BaseSCML.gamma": ("float", "Step size; 60 times this is the parameter of the same name of our SCML."),
    "diagonal": ("bool", "Learn a diagonal metric, weights of the features."),
    "diagonal_c": ("float", "Scale of a diagonal metric: squared distances of similar pairs sum to half of it."),
    "max_proj": ("int", "Not used: there are no projections."),
    "balance_param": (
        'float or "auto"',
        "Weight of a pair against the prior; lowered, with a warning, if there would be no minimum. "
        '"auto" (not in metric-learn) finds one that needs no warning.',
    ),
    "sparsity_param": ("float", "Penalty of the off-diagonal elements of M."),
    "n_constraints": ("int or None", "Similar and dissimilar pairs to draw, or quadruplets; None: 20 n_classes^2."),
    "weights": ("array-like of shape (n_constraints,) or None", "Relative weights of the quadruplets."),
    "beta": ("float", "L1 penalty of the weights; a larger one leaves fewer positive weights."),
    "SCML.basis": (
        '"triplet_diffs" or array-like of shape (n_basis, n_features)',
        "Weighted directions: found in regions of the triplets, or given.",
    ),
    "SCML_Supervised.basis": (
        '"lda" or array-like of shape (n_basis, n_features)',
        "Weighted directions: discriminants in regions of the points, or given.",
    ),
    "n_basis": ("int or None", "Number of bases to find; None: 80 for every feature, with a warning."),
    "output_iter": ("int", "Not used: the objective is computed every 1000 mini-batches."),
    "batch_size": ("int", "Number of triplets in a mini-batch."),
    "k_genuine": ("int", "Number of nearest points of the same class in the triplets of a point."),
    "k_impostor": ("int", "Number of nearest points of other classes in the triplets of a point."),
    "LFDA.k": ("int or None", "Neighbour that sets the scale of a point, at most n_features - 1; None: 7 or that."),
    "embedding_type": (
        '{"weighted", "orthonormalized", "plain"}',
        "Directions times the root of their eigenvalues, an orthonormal basis of their span, or the directions alone.",
    ),
    "n_neighbors": ("int", "Number of target neighbours of each point."),
    "min_iter": ("int", "Not used: L-BFGS needs no minimum number of iterations."),
    "learn_rate": ("float", "Not used: L-BFGS chooses its step sizes."),
    "regularization": ("float in [0, 1)", "Weight of the pull towards targets against the push of impostors."),
    "convergence_tol": ("float", "Stop when an iteration lowers the mean loss of a point by less than a tenth of it."),
    "n_chunks": ("int", "Number of chunks to draw."),
    "chunk_size": ("int", "Number of points in a chunk."),
    "verbose": ("bool", "Log every iteration."),
    "preprocessor": (
        "array-like of shape (n_points, n_features), callable or None",
        "Turns indicators into points: the array that they index, or a function of them.",
    ),
    "random_state": ("int, RandomState or None", "Seed of drawn constraints, and of a random start or prior."),
    "k": ("int", "The old name of ``n_neighbors``."),
    "num_chunks": ("int", "The old name of ``n_chunks``."),
    "num_constraints": ("int", "The old name of ``n_constraints``."),
    "convergence_threshold": ("float", "The old name of ``tol``."),
}
"""Types and descriptions of parameters by their names; those of one class or its subclasses begin with its name."""

ATTRIBUTES = DESCRIPTIONS | {
    "components_": "components_ : ndarray of shape (n_components, n_features)\n        The map L, with M = L^T L.",
    "bounds_": """bounds_ : ndarray of shape (2,)
        Upper bound of the squared distances of similar pairs, lower bound of those of dissimilar pairs.""",
    "threshold_": "threshold_ : float\n        Pairs at most this far apart are predicted to be similar.",
    "n_iter_": "n_iter_ : int\n        Number of iterations.",
    "n_features_in_": "n_features_in_ : int\n        Number of features seen in fit.",
}

EXAMPLES = {
    "points": """>>> from sklearn.datasets import load_iris
>>> from freemetric.metric_learn import {cls}
>>> X, y = load_iris(return_X_y=True)
>>> {cls}(%s).fit(X, y).transform(X).shape
(150, 4)""",
    "pairs": """>>> from freemetric.metric_learn import {cls}
>>> near, far = [[1.2, 7.5], [1.3, 1.5]], [[1.3, 4.5], [3.2, 4.6]]
>>> pairs = [near, [[6.4, 2.6], [6.2, 9.7]], far, [[6.2, 5.5], [5.4, 5.4]]]
>>> {cls}(%s).fit(pairs, [1, 1, -1, -1]).predict(pairs)
array([ 1,  1, -1, -1])""",
    "triplets": """>>> from freemetric.metric_learn import {cls}
>>> triplets = [[[1.2, 7.5], [1.3, 1.5], [6.2, 9.7]], [[1.3, 4.5], [3.2, 4.6], [5.4, 5.4]],
...             [[3.2, 7.5], [3.3, 1.5], [8.2, 9.7]], [[3.3, 4.5], [5.2, 4.6], [7.4, 5.4]]]
>>> {cls}(%s).fit(triplets).score(triplets)
1.0""",
    "quadruplets": """>>> from freemetric.metric_learn import {cls}
>>> quadruplets = [[[1.2, 7.5], [1.3, 1.5], [6.4, 2.6], [6.2, 9.7]],
...                [[1.3, 4.5], [3.2, 4.6], [6.2, 5.5], [5.4, 5.4]]]
>>> {cls}(%s).fit(quadruplets).score(quadruplets)
0.5""",
}
"""Examples by what an estimator is fitted on."""
