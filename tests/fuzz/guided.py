"""``python -m tests.fuzz.guided .csv FOLDER [options of libFuzzer]``: mutants of one kind of file, led by coverage.

atheris keeps whatever reaches new lines of freemetric in FOLDER and mutates it further: model files by their structure.
"""

import importlib.util
import random
import sys
import tempfile
from pathlib import Path

HOME = Path(importlib.util.find_spec("freemetric").origin).parent


def compiled_modules():
    """Modules of functions that numba reads: it does not know the marks that atheris puts into them."""
    for path in HOME.rglob("*.py"):
        name = ".".join(["freemetric", *path.relative_to(HOME).with_suffix("").parts]).removesuffix(".__init__")
        if name.startswith("freemetric.kernels") or "kernels.compiling import" in path.read_text(encoding="utf-8"):
            yield name


def mutator(suffix, others):
    """Ours half of the time or more, and ``others``: libFuzzer's, which knows what the code has compared bytes with."""
    from .mutations import altered_model, damaged

    def mutate(data, max_size, seed):
        rng = random.Random(seed)
        way = rng.choice([altered_model, damaged, others] if suffix == ".model" else [damaged, others])
        try:
            changed = way(data, max_size) if way is others else way(rng, bytes(data))
        except Exception:  # no model file any more, in whatever words zip and JSON say it
            changed = damaged(rng, bytes(data))
        return changed if len(changed) <= max_size else data

    return mutate


def main():
    import atheris

    suffix = sys.argv.pop(1)
    with atheris.instrument_imports(include=["freemetric"], exclude=list(compiled_modules())):
        from .targets import CORPUS, use

        for path in sorted(CORPUS.glob(f"*{suffix}")):
            use(path)  # names are imported when they are asked for
    current = Path(tempfile.mkdtemp()) / f"current{suffix}"  # libFuzzer's end leaves no time to clean up

    def one_input(data):
        current.write_bytes(data)
        use(current)  # an exception that is not one line ends the process, and libFuzzer keeps the input

    def others(data, max_size):
        return atheris.Mutate(data, max_size)  # it is another function once Fuzz has begun

    atheris.Setup(sys.argv, one_input, custom_mutator=mutator(suffix, others))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
