"""Checks of scikit-learn's encoders that come from a file: their tables become indices in compiled code.

OneHotEncoder makes indices of a sparse matrix from them, and scipy writes wherever indices point.
"""

from typing import Any

import numpy as np

from .checks import check_numbers, require

OBJECTS = (str, int, float, bool, type(None))


def check_categories(encoder: Any) -> None:
    """ValueError unless every feature has categories that a value can be looked up in."""
    # a dtype of texts would have a width, which every encoded cell would take up
    require(np.dtype(encoder.dtype).kind in "biuf", f"dtype of {_name(encoder)}", "is none of numbers")
    if "categories_" not in vars(encoder):
        return
    categories = encoder.categories_
    is_list = type(categories) is list and len(categories) == encoder.n_features_in_
    require(is_list, f"categories_ of {_name(encoder)}", "are no list of those of every feature")
    for table in categories:
        is_table = type(table) is np.ndarray and table.ndim == 1 and table.size and table.dtype.kind in "biufUO"
        require(is_table, _name(encoder), "with categories that are no numbers or texts")
        require(_ascends(table), _name(encoder), "with unsorted categories")


def check_one_hot(encoder: Any) -> None:
    """ValueError unless all indices that it will make are below its number of columns."""
    check_categories(encoder)
    state = vars(encoder)
    if "categories_" not in state:
        return
    d = len(state["categories_"])
    grouped = state["_infrequent_enabled"]
    rare = state["_infrequent_indices"] if grouped else [None] * d
    groups = state["_default_to_infrequent_mappings"] if grouped else [None] * d
    dropped = state["_drop_idx_after_grouping"]
    require(dropped is None or np.shape(dropped) == (d,), "OneHotEncoder", "with a wrong table of dropped categories")
    tables = zip(state["categories_"], rare, groups, [None] * d if dropped is None else dropped, strict=True)
    widths = [_columns(*tables_of_one) for tables_of_one in tables]
    told = state["_n_features_outs"]
    require(type(told) is list and told == widths, "OneHotEncoder", "with a wrong number of columns")


def _ascends(table):
    """Whether the numbers are sorted as numpy sorts, NaN last: bisection may end behind the last one otherwise."""
    if table.dtype.kind == "U":  # looked up by name, in any order
        return True
    if table.dtype.kind == "O":
        return _objects_ascend(table.tolist())
    return np.array_equal(table, np.sort(table), equal_nan=table.dtype.kind == "f")


def _objects_ascend(items):
    """The same of the numbers among objects, compared exactly: as floats, 2**53 and 2**53 + 1 are equal."""
    require(all(type(item) in OBJECTS for item in items), "an encoder", "with categories of other objects")
    numbers = [item for item in items if type(item) in (int, float, bool)]
    known = [number for number in numbers if number == number]
    return known == sorted(known) and numbers[: len(known)] == known


def _columns(categories, rare, groups, dropped):
    """How many columns a feature is encoded by."""
    width = len(categories)
    if rare is not None:
        check_numbers(rare, width, "rare categories")
        if len(groups) != width or len(rare) == 0:
            raise ValueError("OneHotEncoder with a wrong table of rare categories")
        width -= len(rare) - 1
        check_numbers(groups, width, "groups of categories")
    elif groups is not None:
        raise ValueError("OneHotEncoder with a table of no rare categories")
    if dropped is not None:
        check_numbers([dropped], width, "dropped categories")
    return width - (dropped is not None)


def _name(encoder):
    return type(encoder).__name__
