"""Arrays of numbers as the bytes of npy files."""

import io
import math

import numpy as np
from numpy.lib import format as npy

KINDS = "biufc"  # truth values, integers, floats, complex; bytes of other kinds are not safe to read


def array_bytes(array: np.ndarray) -> bytes:
    """The npy file of an array whose kind is one of KINDS."""
    file = io.BytesIO()
    npy.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def array_of(content: bytes) -> np.ndarray:
    """The array of an npy file; ValueError where it is not one of ours, before anything is allocated."""
    file = io.BytesIO(content)
    version = npy.read_magic(file)
    if version != (1, 0):  # what numpy writes for every plain array
        raise ValueError(f"npy version {version}")
    shape, _, dtype = npy.read_array_header_1_0(file)
    if dtype.kind not in KINDS:
        raise ValueError(f"an array of dtype {dtype}")
    if any(n < 0 for n in shape) or math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise ValueError(f"an array of shape {shape} in {len(content)} bytes")
    file.seek(0)
    array = npy.read_array(file, allow_pickle=False)
    # numpy counts on truth values being 0 or 1 and reads past the end of an array otherwise
    if array.dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise ValueError("truth values other than 0 and 1")
    return array
