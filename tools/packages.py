"""Check that a release has one version, and that its archives hold what they should."""

import email
import re
import tarfile
import zipfile
from pathlib import Path

SAID = {
    "src/freemetric/_version.py": r'__version__ = "(.+)"',
    "CHANGELOG.md": r"(?m)^## (\S+) \(",
    "CITATION.cff": r"(?m)^version: (\S+)",
    "conda/recipe.yaml": r"(?m)^  version: (\S+)",
}
"""Files that name the version, and where."""

HEADING = re.compile(r"(?m)^## (\S+) \((not released|\d{4}-\d{2}-\d{2})\)$")
IN_SOURCES = [
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "Makefile",
    "README.md",
    "pyproject.toml",
    "tests",
    "docs",
    "src",
]
NOT_IN_SOURCES = {".ci", ".git", ".github", "data", "out", "shared"}


def versions(root: Path) -> dict[str, str]:
    """The version that each file says; empty where it says none."""
    found = {
        name: re.search(pattern, (root / name).read_text())
        for name, pattern in SAID.items()
    }
    return {name: match[1] if match else "" for name, match in found.items()}


def version_problems(root: Path, tag: str | None = None) -> list[str]:
    """Files that disagree about the version, the tag, and the date in the changelog."""
    said = versions(root)
    version = said["src/freemetric/_version.py"]
    problems = [
        f"{name} says {other or 'no version'}, not {version}"
        for name, other in said.items()
        if other != version
    ]
    heading = HEADING.search((root / "CHANGELOG.md").read_text())
    if heading is None:
        problems.append(
            "CHANGELOG.md begins with no heading such as `## 1.2.3 (2026-01-31)`"
        )
    if tag and tag != f"v{version}":
        problems.append(f"the tag is {tag}, not v{version}")
    if tag and heading and heading[2] == "not released":
        problems.append(
            "CHANGELOG.md says `not released`; a release has its date there"
        )
    return problems


def wheel_problems(wheel: Path, root: Path) -> list[str]:
    """What a wheel lacks, and what does not belong there."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        about = next(
            (name for name in names if name.endswith(".dist-info/METADATA")), None
        )
        metadata = (
            email.message_from_bytes(archive.read(about))
            if about
            else email.message.Message()
        )
    info = {name for name in names if ".dist-info/" in name}
    source = root / "src" / "freemetric"
    wanted = {
        f"freemetric/{path.relative_to(source).as_posix()}"
        for path in source.rglob("*")
        if _is_source(path)
    }
    problems = [f"{wheel.name} lacks {name}" for name in sorted(wanted - names)]
    problems += [f"{wheel.name} holds {name}" for name in sorted(names - info - wanted)]
    problems += [
        f"{wheel.name} lacks {end}"
        for end in ("licenses/LICENSE", "entry_points.txt")
        if not _any(info, end)
    ]
    return problems + [f"{wheel.name}: {line}" for line in _metadata_problems(metadata)]


def _is_source(path):
    return path.is_file() and "__pycache__" not in path.parts


def _any(names, end):
    return any(name.endswith(end) for name in names)


def _metadata_problems(metadata):
    pythons = [
        text
        for text in metadata.get_all("Classifier") or ()
        if re.search(r":: 3\.\d+$", text)
    ]
    checks = {
        "no licence expression": metadata["License-Expression"] == "BSD-3-Clause",
        "no oldest Python": metadata["Requires-Python"] == ">=3.11",
        "no description": bool(metadata.get_payload()),
        "no classifiers of Python 3.11 to 3.14": len(pythons) == 4,
    }
    return [problem for problem, is_fine in checks.items() if not is_fine]


def sdist_problems(sdist: Path) -> list[str]:
    """What a source archive lacks, and what does not belong there."""
    with tarfile.open(sdist) as archive:
        tops = {
            Path(name).parts[1]
            for name in archive.getnames()
            if len(Path(name).parts) > 1
        }
    problems = [f"{sdist.name} lacks {name}" for name in IN_SOURCES if name not in tops]
    strange = {
        name for name in tops if name in NOT_IN_SOURCES or name.startswith(".venv")
    }
    return problems + [f"{sdist.name} holds {name}" for name in sorted(strange)]
