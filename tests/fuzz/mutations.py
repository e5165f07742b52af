"""Inputs that are nearly right: bytes that are damaged, and model files whose parts are changed and sealed again."""

import copy
import io
import json
import zipfile

import numpy as np

from freemetric.files import container
from tests.files.tampering import nodes

NUMBERS = [0, 1, -1, 2, 7, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**70, 1e308, -0.5, 1e-320]
NODES = [None, True, "", "auto", "a" * 300, [], {}, {"tuple": []}, {"dict": []}, {"float": "nan"}, {"float": "-inf"}]
NODES += [{"array": [0, []]}, {"array": [1, [0]]}, {"objects": ["O", [0], []]}, {"objects": ["<U99999", [1], ["a"]]}]
NODES += [{"slice": [0, 10**9, 1]}, {"dtype": "<f2"}, {"type": "str"}, {"scalar": ["<i8", 3]}]
DTYPES = ["<f8", "<f4", "<f2", ">f8", "<i8", "<i4", "|i1", "|u1", "<u8", "<c16", "|b1"]


def damaged(rng, content):
    """Bytes flipped, lost, doubled, or replaced by what a parser may count with."""
    content = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at, n = rng.randrange(len(content) + 1), rng.randint(1, 16)
        content[at : at + n] = rng.choice(
            [b"", bytes(n), b"\xff" * n, rng.randbytes(n), bytes(content[at : at + n]) * 2, rng.choice(WORDS)]
        )
    return bytes(content)


WORDS = [
    b",",
    b";",
    b"\t",
    b'"',
    b"\n",
    b"\r",
    b"\0",
    b"nan",
    b"1e999",
    b"-",
    b"?",
    b"{",
    b"]",
    b"@data",
    b"%",
    b"\xef\xbb\xbf",
]


def altered_model(rng, content):
    """A model file with a right checksum over wrong parts."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        header, tree, *arrays = (archive.read(name) for name in archive.namelist())
    header, tree = json.loads(header), json.loads(tree)
    for _ in range(rng.choice([1, 1, 2, 4])):
        if arrays and rng.random() < 0.4:
            number = rng.randrange(len(arrays))
            arrays[number] = _other_array(rng, arrays[number])
        else:
            _change_a_node(rng, tree if rng.random() < 0.9 else header["about"])
    return sealed(header, tree, arrays)


def _change_a_node(rng, tree):
    places = [node for node in nodes(tree) if node]
    if not places:
        return
    node = rng.choice(places)
    key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
    kind = rng.random()
    if kind < 0.1:
        del node[key]
    elif kind < 0.3:
        node[key] = copy.deepcopy(rng.choice(places))
    else:
        node[key] = copy.deepcopy(rng.choice(NUMBERS if type(node[key]) in (int, float) else [*NUMBERS, *NODES]))


def _other_array(rng, content):
    """An array with a number, its type, its order or its shape changed; now and then its bytes."""
    try:
        array = np.lib.format.read_array(io.BytesIO(content)).copy()
    except Exception:  # what an earlier change has left, in whatever words numpy says it
        return damaged(rng, content)
    with np.errstate(all="ignore"):
        if array.size and rng.random() < 0.5:
            array.flat[rng.randrange(array.size)] = np.array(float(rng.choice([*NUMBERS, "nan", "inf"]))).astype(
                array.dtype
            )
        change = rng.randrange(6)
        if change == 0:
            array = array.astype(rng.choice(DTYPES))
        elif change == 1:
            array = array[::-1]
        elif change == 2:
            array = np.resize(array, [max(n + rng.choice([-1, 0, 1]), 0) for n in array.shape]) if array.size else array
        elif change == 3:
            array = array.reshape(-1) if rng.random() < 0.5 else array[None]
    if change == 4:
        return damaged(rng, content)
    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(array))
    return file.getvalue()


def sealed(header, tree, arrays):
    """The bytes of a model file of these parts."""
    header = {key: value for key, value in header.items() if key != "sha256"} | {"arrays": len(arrays)}
    contents = [json.dumps(tree).encode(), *arrays]
    header["sha256"] = container.digest(header, contents)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        names = [container.HEADER, *container.member_names(len(arrays))]
        for name, part in zip(names, [container.as_json(header), *contents], strict=True):
            archive.writestr(zipfile.ZipInfo(name), part)
    return file.getvalue()
