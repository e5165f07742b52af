"""Parts of a fitted estimator: pipelines, searches and models of tables hold others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

# Attributes in which tables, searches and classifiers keep what they have fitted.
INNER = ("pipeline_", "best_estimator_", "learner_")
# In front of a learner that a classifier has fitted on arrays.
AS_ARRAY = FunctionTransformer(np.asarray)
MAPS = ("components_", "get_mahalanobis_matrix")


@dataclass(frozen=True)
class Part:
    """A fitted estimator with the transformers in front of it.

    Parameters
    ----------
    front : tuple of transformers
        What samples pass before they reach the model.
    model : estimator
        The part itself.
    names : sequence of str or None
        Names of the features that reach the model, where they are known.
    """

    front: tuple[Any, ...]
    model: Any
    names: Sequence[str] | None

    def inputs(self, X: Any) -> Any:
        """Return the samples as they reach the model."""
        for step in self.front:
            X = step.transform(X)
        return X

    def feature_names(self, n_features: int) -> list[str]:
        """Return the names of the features, x0, x1, ... where they are unknown."""
        for names in (getattr(self.model, "feature_names_in_", None), self.names):
            if names is not None and len(names) == n_features:
                return [str(name) for name in names]
        return [f"x{i}" for i in range(n_features)]


def parts_of(estimator: Any) -> Iterator[Part]:
    """Yield the parts of a fitted estimator, the outermost first, last steps first."""
    check_is_fitted(estimator)
    yield from _with_inner(Part((), estimator, None))


def _with_inner(part: Part) -> Iterator[Part]:
    yield part
    model = part.model
    names = getattr(model, "feature_names_in_", part.names)
    for attribute in INNER:
        inner = getattr(model, attribute, None)
        if inner is not None:
            is_nameless = not hasattr(inner, "feature_names_in_")
            front = (AS_ARRAY,) if attribute == "learner_" and is_nameless else ()
            yield from _with_inner(Part((*part.front, *front), inner, names))
    if isinstance(model, Pipeline):
        for i, (_, step) in reversed(list(enumerate(model.steps))):
            if step is None or isinstance(step, str):
                continue
            before = (model[:i],) if i else ()
            step_names = names_behind(before[0], names) if before else names
            yield from _with_inner(Part((*part.front, *before), step, step_names))


def names_behind(front: Any, names: Sequence[str] | None) -> Sequence[str] | None:
    """Return the names of the features that a transformer makes; None if unknown."""
    for arguments in ((names,), ()):
        try:
            return front.get_feature_names_out(*arguments)
        except (AttributeError, TypeError, ValueError):
            continue
    return None


def part_with(estimator: Any, *attributes: str) -> Part | None:
    """Return the outermost part with one of the attributes, or None."""
    for part in parts_of(estimator):
        if any(hasattr(part.model, name) for name in attributes):
            return part
    return None


def needed_part(estimator: Any, wanted: str, *attributes: str) -> Part:
    """Return the outermost part with one of the attributes; else TypeError."""
    part = part_with(estimator, *attributes)
    if part is None:
        name = type(estimator).__name__
        raise TypeError(f"This needs {wanted}; {name} is none.")
    return part


def space_of(estimator: Any) -> Part:
    """Return the part that maps samples to the learned space."""
    wanted = "a metric learner, or a pipeline or model with one"
    for part in parts_of(estimator):
        is_map = any(hasattr(part.model, name) for name in MAPS)
        if is_map and hasattr(part.model, "transform"):
            return part
    raise TypeError(f"This needs {wanted}; {type(estimator).__name__} is none.")


def as_numbers(X: Any) -> NDArray:
    """Return samples as they reach a metric, as an array of floats."""
    dense = X.toarray() if hasattr(X, "toarray") else X
    return np.asarray(dense, dtype=np.float64)


def kept_samples(part: Part) -> Any:
    """Return the training samples that an ensemble has kept, or None."""
    return getattr(getattr(part.model, "ensemble_", None), "X", None)


def training_rows(part: Part, X: Any) -> NDArray[np.intp]:
    """Return the number of the training sample that equals each row, -1 for others."""
    rows = as_numbers(part.inputs(X)) + 0.0
    kept = kept_samples(part)
    if kept is None:
        return np.full(len(rows), -1)
    kept = as_numbers(kept) + 0.0  # makes -0.0 and 0.0 the same bits
    if rows.shape == kept.shape and np.all((rows == kept) | np.isnan(rows)):
        return np.arange(len(kept))  # the ensemble has filled their gaps
    numbers = {row.tobytes(): number for number, row in enumerate(kept)}
    return np.array([numbers.get(row.tobytes(), -1) for row in rows], dtype=np.intp)
