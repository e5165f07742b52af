"""Print the oldest releases that pyproject.toml allows, as constraints for pip.

Of the library, of the extras that its tests use and of what runs the tests.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(\[(?P<extras>[\w,-]+)\])?>=(?P<version>[\d.]+)(,!=[\d.*]+)*"
)
ONLY_FOR_SOURCES = {"mypy", "playwright", "pre-commit", "ruff"}


def minima(text: str) -> dict[str, str]:
    """Name and oldest release of everything that the tests need, in order of names."""
    project = tomllib.loads(text)["project"]
    wanted = [
        *project["dependencies"],
        *_of_extra("dev-all", project["optional-dependencies"]),
    ]
    found = [_bound(line) for line in wanted]
    return {
        name: version for name, version in sorted(found) if name not in ONLY_FOR_SOURCES
    }


def _of_extra(extra: str, extras: dict[str, list[str]]) -> Iterator[str]:
    for line in extras[extra]:
        own = re.fullmatch(r"freemetric\[([\w,-]+)\]", line)
        if own:
            for part in own[1].split(","):
                yield from _of_extra(part, extras)
        else:
            yield line


def _bound(line: str) -> tuple[str, str]:
    match = REQUIREMENT.fullmatch(line)
    if match is None:
        sys.exit(
            f"{line!r} in pyproject.toml has no oldest release; "
            "write it as name>=version."
        )
    return match["name"], match["version"]


if __name__ == "__main__":
    print(
        *(
            f"{name}=={version}"
            for name, version in minima(PYPROJECT.read_text()).items()
        ),
        sep="\n",
    )
