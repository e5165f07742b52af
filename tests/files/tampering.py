"""Take model files apart and put them together again, wrongly."""

import io
import json
from hashlib import sha256

import numpy as np

from freemetric.files import container, load, save
from freemetric.files.container import packed, unpacked
from freemetric.files.kept import Kept
from freemetric.files.model import RELEASES

from .examples import fitted


def content_of(model):
    """The bytes of a model's file."""
    file = io.BytesIO()
    save(model, file)
    return file.getvalue()


def loaded(content):
    return load(io.BytesIO(content))


def nodes(tree):
    """All containers of a tree."""
    if isinstance(tree, dict | list):
        yield tree
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from nodes(part)


def part_of(tree, tag):
    """The attributes of the first fitted object of a class."""
    for node in nodes(tree):
        if isinstance(node, dict) and "object" in node:
            name, state = node["object"]
            if name == tag:
                return state
    raise LookupError(tag)


def altered(name, edit):
    """The file of an example after ``edit(tree)``; its checksum is right."""
    header, numbers = unpacked(content_of(fitted(name)[0]))
    edit(header["model"])
    return packed(header, [bytes(numbers)])


def sealed(tree, numbers=b""):
    """The file of a tree, which may be a text; its checksum is right."""
    text = tree if isinstance(tree, str) else json.dumps(tree)
    text = f'{{"releases": {json.dumps(RELEASES)}, "model": {text}}}'
    body = len(text).to_bytes(8, "little") + text.encode() + numbers
    return container.FIRST_LINE + sha256(body).digest() + body


def with_attribute(name, tag, attribute, change):
    """The file of an example after ``change(value)`` of an attribute of a part."""
    model = loaded(content_of(fitted(name)[0]))
    for part in parts_of(model):
        if type(part).__name__ == tag and attribute in vars(part):
            vars(part)[attribute] = change(vars(part)[attribute])
            break
    else:
        raise LookupError(tag)
    return content_without_checks(model)


def content_without_checks(model):
    """The bytes of a model that could not be saved."""
    check = Kept._check
    Kept._check = lambda *_: None
    try:
        return content_of(model)
    finally:
        Kept._check = check


def parts_of(value):
    """A model and all parts of it."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from parts_of(part)
    elif isinstance(value, dict):
        yield from parts_of(list(value.values()))
    elif hasattr(value, "__dict__") and not isinstance(value, type | np.ndarray):
        yield value
        yield from parts_of(list(vars(value).values()))
