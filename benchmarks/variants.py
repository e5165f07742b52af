"""Changes of the recipe, as they are written on the command line."""

import hashlib
from dataclasses import replace
from pathlib import Path

import freemetric
from freemetric import Recipe


def constants(change):
    """What a change such as "dict(n_steps=9)" names, as a dict."""
    return eval(change, {"__builtins__": {}, "dict": dict})


def canonical(change):
    """The same change in the one way of writing that records know it by."""
    return f"dict({', '.join(f'{name}={value!r}' for name, value in sorted(constants(change).items()))})"


def changed_recipe(change):
    """The default recipe with what the change replaces."""
    return replace(Recipe(), **constants(change))


def sources():
    """A fingerprint of the library's modules: records of one fingerprint were made by the same code."""
    digest = hashlib.sha1()
    folder = Path(freemetric.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:10]
