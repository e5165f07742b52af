"""Values that contain no others and that JSON does not have, as JSON values and back."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

NUMPY_TYPES = "number integer floating bool_ object_ str_ float16 float32 float64 " + (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
)
TYPES = {kind.__name__: kind for kind in (object, bool, int, float, str)} | {
    f"numpy.{name}": getattr(np, name) for name in NUMPY_TYPES.split()
}
"""Types that stand for a dtype among the parameters of an encoder or selector."""

NOT_FINITE = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
PLAIN_DTYPE = re.compile(r"[<>|=]?([biuf][1248]|c8|c16|U[0-9]{1,6}|O)")
NUMBERS_OF_A_STATE = 624  # of Mersenne's twister


class UnsupportedError(Exception):
    """A value that no file can hold; the encoder adds where it was found."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what, self.where = what, ""


def from_type(value: type) -> str:
    for name, known in TYPES.items():
        if known is value:
            return name
    raise UnsupportedError(f"the class {value.__name__}")


def from_dtype(value: np.dtype) -> str:
    if not PLAIN_DTYPE.fullmatch(value.str):
        raise UnsupportedError(f"the dtype {value}")
    return value.str


def to_dtype(text: str) -> np.dtype:
    if not PLAIN_DTYPE.fullmatch(text):
        raise ValueError(f"the dtype {text!r}")
    return np.dtype(text)


def from_lone_dtype(value: np.dtype) -> str:
    """A dtype that is a value of its own; of texts it would have a width, which arrays to come would take up."""
    if value.kind == "U":
        raise UnsupportedError(f"the dtype {value}")
    return from_dtype(value)


def to_lone_dtype(text: str) -> np.dtype:
    dtype = to_dtype(text)
    if dtype.kind == "U":
        raise ValueError(f"the dtype {text!r}")
    return dtype


def from_slice(value: slice) -> list[int | None]:
    bounds = [value.start, value.stop, value.step]
    return [None if bound is None else int(bound) for bound in bounds]


def to_slice(bounds: list[Any]) -> slice:
    if len(bounds) != 3 or not all(bound is None or type(bound) is int for bound in bounds):
        raise ValueError("a slice of something else than integers")
    return slice(*bounds)


def from_random_state(value: np.random.RandomState) -> list[Any]:
    name, numbers, position, has_gauss, gauss = value.get_state(legacy=True)
    if name != "MT19937":
        raise UnsupportedError(f"a random state of {name}")
    return [np.asarray(numbers).tolist(), int(position), int(has_gauss), float(gauss)]


def to_random_state(state: list[Any]) -> np.random.RandomState:
    numbers, position, has_gauss, gauss = state
    # numpy does not check the position and would read behind the numbers
    if len(numbers) != NUMBERS_OF_A_STATE or not 0 <= position <= NUMBERS_OF_A_STATE or has_gauss not in (0, 1):
        raise ValueError("an impossible random state")
    words = np.array([int(number) for number in numbers], dtype=np.uint32)
    made = np.random.RandomState()
    made.set_state(("MT19937", words, int(position), int(has_gauss), float(gauss)))
    return made


LEAVES: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "float": (float, repr, NOT_FINITE.__getitem__),
    "type": (type, from_type, TYPES.__getitem__),
    "dtype": (np.dtype, from_lone_dtype, to_lone_dtype),
    "slice": (slice, from_slice, to_slice),
    "random_state": (np.random.RandomState, from_random_state, to_random_state),
}
"""What a leaf is called in a file, its class, and the ways there and back."""
