"""Checks of what compiled code reads without a check of its own.

numpy refuses wrong shapes and indices before it reads; numba and scipy do not. What a
class keeps in compiled objects is made anew.
"""

import numpy as np

from .kept import require


def check_ensemble(ensemble):
    """ValueError unless maps are as wide as their views, and numbers of rows ascend."""
    sizes = ensemble.sizes
    check_numbers("sizes", sizes, len(ensemble.X) + 1)
    ascend = sizes[0] > 0 and np.array_equal(sizes, np.unique(sizes))
    require(ascend, "sizes", "do not ascend")
    in_views = ensemble.in_views(ensemble.X[:1])
    for member in ensemble.members:
        fits = member.maps.shape[2] == in_views[member.view].shape[1]
        require(fits, "an ensemble", "has maps of another width")


def check_width(model):
    """ValueError unless all parts of an ensemble have the features of the model.

    Only the model validates samples.
    """
    widths = {model.n_features_in_, model.ensemble_.X.shape[1]}
    widths.update(fitted.n_features_in_ for _, fitted in model.estimators_)
    require(len(widths) == 1, "an ensemble", "has parts of other features")


def check_trees(model):
    """ValueError unless trees ask for features, and have a leaf for every end."""
    check_numbers("features_", model.features_, model.n_features_in_)
    fits = model.leaves_.shape[1] == model.features_.shape[1] + 1
    require(fits, "leaves_", "are too many or too few")


def check_categories(encoder):
    """ValueError unless numbers among categories ascend.

    They are looked up by bisection, which may end behind the last one elsewhere.
    """
    what = f"categories_ of {type(encoder).__name__}"
    require(len(encoder.categories_) == encoder.n_features_in_, what, "are too many")
    for column in encoder.categories_:
        require(column.ndim == 1 and column.dtype.kind in "biufUO", what, "are none")
        items = [item for item in column.tolist() if not isinstance(item, str | None)]
        without_nan = [item for item in items if item == item]
        require(items[: len(without_nan)] == sorted(without_nan), what, "do not ascend")


def check_one_hot(encoder):
    """ValueError unless all columns that it fills are there."""
    check_categories(encoder)
    d, dropped = encoder.n_features_in_, encoder._drop_idx_after_grouping
    groups = [None] * d
    if encoder._infrequent_enabled:
        groups = encoder._default_to_infrequent_mappings
    dropped = [None] * d if dropped is None else dropped
    expected = []
    for column, group, left_out in zip(
        encoder.categories_, groups, dropped, strict=True
    ):
        width = len(column)
        if group is not None:
            check_numbers("groups of categories", group, width)
            require(len(group) == width, "OneHotEncoder", "has other groups")
            width = int(group.max()) + 1
        expected.append(width - (left_out is not None))
    found = encoder._n_features_outs
    require(found == expected, "OneHotEncoder", "has another number of columns")


def check_numbers(what, numbers, count):
    """ValueError unless all are integers from 0 to count - 1."""
    is_integer = isinstance(numbers, np.ndarray) and numbers.dtype.kind in "iu"
    inside = is_integer and numbers.min() >= 0 and numbers.max() < count
    require(inside, what, f"has numbers outside of 0 to {count - 1}")


def check_category_column(column):
    """ValueError where there are too many categories: their square takes memory."""
    require(len(column.categories) <= 1000, "a column", "has too many categories")


def index_classes(model):
    """Make the index of a KNeighborsClassifier anew."""
    make_index(model, model.classes_[model._y])


def index_targets(model):
    """Make the index of a KNeighborsRegressor anew."""
    make_index(model, model._y)


def make_index(model, y):
    """Fit anew what a nearest-neighbour estimator keeps in compiled objects."""
    if hasattr(model, "effective_metric_"):  # it has one, and is being saved
        return
    names = getattr(model, "feature_names_in_", None)
    model.fit(model._fit_X, y)
    if names is not None:
        model.feature_names_in_ = names
