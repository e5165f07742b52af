"""Python imports this as it starts: processes that tests start run the mutant, too."""

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader


class Mutated(SourceFileLoader):
    """The loader of a module whose source is another file."""

    def get_code(self, fullname):
        with open(os.environ["MUTANT_SOURCE"], encoding="utf-8") as file:
            return compile(file.read(), self.path, "exec")


class MutantFinder(MetaPathFinder):
    """Finds the module that is mutated."""

    def find_spec(self, name, path=None, target=None):
        if name != os.environ["MUTANT_NAME"]:
            return None
        spec = PathFinder.find_spec(name, path, target)
        spec.loader = Mutated(name, spec.origin)
        return spec


if "MUTANT_NAME" in os.environ:
    sys.meta_path.insert(0, MutantFinder())
