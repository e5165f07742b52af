"""Take model files apart and put them together again, wrongly."""

import io
import json
import zipfile

import numpy as np

from freemetric.files import container


def parts(path):
    """Header, tree and npy files, as anyone can read them."""
    with zipfile.ZipFile(path) as archive:
        header, tree, *arrays = (archive.read(name) for name in archive.namelist())
    return json.loads(header), json.loads(tree), arrays


def seal(path, header, tree, arrays):
    """Write a file with a right checksum, whatever it holds."""
    header = {key: value for key, value in header.items() if key != "sha256"} | {"arrays": len(arrays)}
    contents = [tree if isinstance(tree, bytes) else json.dumps(tree).encode(), *arrays]
    header["sha256"] = container.digest(header, contents)
    return packed(path, header, contents)


def packed(path, header, contents):
    """Write a file, whatever its header says."""
    names = [container.HEADER, *container.member_names(len(contents) - 1)]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in zip(names, [container.as_json(header), *contents], strict=True):
            archive.writestr(zipfile.ZipInfo(name), content)
    return path


def resealed(source, path, edit):
    """The file after ``edit(header, tree, arrays)``, which changes them or returns others."""
    found = parts(source)
    return seal(path, *(edit(*found) or found))


def npy(array, allow_pickle=False):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def nodes(tree):
    """All containers of a tree."""
    if isinstance(tree, dict | list):
        yield tree
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from nodes(part)


def objects(tree):
    """Tags and attributes of all objects of a tree."""
    return [node["object"] for node in nodes(tree) if isinstance(node, dict) and "object" in node]


def part_of(tree, tag, number=0):
    """The attributes of one of the objects of a kind."""
    return [state for known, state in objects(tree) if known == tag][number]


def array_in(arrays, node):
    """The array that a node of the tree stands for."""
    number, backward = node["array"]
    return np.flip(np.lib.format.read_array(io.BytesIO(arrays[number])), backward)


def new_array(arrays, array):
    """A node that stands for one more array."""
    arrays.append(npy(np.asarray(array)))
    return {"array": [len(arrays) - 1, []]}


def state_of(tree, tag):
    """The attributes of the first fitted object of a kind."""
    return next(state for known, state in objects(tree) if known == tag and "n_features_in_" in state)
