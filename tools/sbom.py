"""What freemetric depends on, and under which licences: a table, and a bill of materials in SPDX 2.3.

``python tools/sbom.py --extra cli --spdx out/freemetric.spdx.json`` lists what is installed. Direct dependencies are
those of pyproject.toml, the others follow from the metadata of the installed packages.
"""

import argparse
import json
import os
import re
import tomllib
import uuid
from datetime import UTC, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from licences import UNKNOWN, licence, terms
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def direct(extras: list[str], project: dict) -> list[Requirement]:
    """What pyproject.toml asks for, with some extras; an extra of ours inside another is opened."""
    texts = list(project["dependencies"])
    for extra in extras:
        texts += project["optional-dependencies"][extra]
    found = []
    for requirement in map(Requirement, texts):
        inner = canonicalize_name(requirement.name) == "freemetric"
        found += direct_of_extras(sorted(requirement.extras), project) if inner else [requirement]
    return list({canonicalize_name(r.name): r for r in found}.values())


def direct_of_extras(extras: list[str], project: dict) -> list[Requirement]:
    """What some extras add."""
    return direct(extras, {**project, "dependencies": []})


def closure(roots: list[Requirement]) -> dict[str, tuple[Distribution, list[str]]]:
    """Installed packages by canonical name, each with the names of those it needs; others are left out."""
    found: dict[str, tuple[Distribution, list[str]]] = {}
    todo = list(roots)
    while todo:
        asked = todo.pop()
        name = canonicalize_name(asked.name)
        package = _installed(name)
        if package is None or name in found:
            continue
        needed = [r for r in map(Requirement, package.requires or ()) if _applies(r, asked.extras)]
        found[name] = package, sorted({canonicalize_name(r.name) for r in needed})
        todo += needed
    return dict(sorted(found.items()))


def _installed(name):
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _applies(requirement, extras):
    return requirement.marker is None or any(requirement.marker.evaluate({"extra": e}) for e in extras or {""})


def table(roots: list[Requirement], packages: dict) -> str:
    """Direct dependencies first; one line each with version, what was asked for and licence."""
    asked = {canonicalize_name(root.name): str(root.specifier) for root in roots}
    rows = [("package", "version", "asked for", "licence")]
    for name in sorted(packages, key=lambda name: (name not in asked, name)):
        rows.append((name, packages[name][0].version, asked.get(name, "-"), terms(packages[name][0])))
    rows += [(name, "not installed", asked[name], "") for name in asked if name not in packages]
    return "\n".join(f"{name:20} {version:14} {wanted:12} {under}".rstrip() for name, version, wanted, under in rows)


def spdx(version: str, roots: list[Requirement], packages: dict, created: datetime) -> dict:
    """The bill of materials as an SPDX 2.3 document."""
    ours = {"name": "freemetric", "version": version, "licence": "BSD-3-Clause"}
    entries = [ours] + [dict(name=n, version=p.version, licence=licence(p)) for n, (p, _) in packages.items()]
    arrows = [("freemetric", canonicalize_name(root.name)) for root in roots]
    arrows += [(name, other) for name, (_, others) in packages.items() for other in others]
    depends = [_relation(_id(a), "DEPENDS_ON", _id(b)) for a, b in sorted(set(arrows)) if b in packages]
    listed = [_package(**entry) for entry in entries]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"freemetric-{version}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(listed))}",
        "creationInfo": {"created": f"{created:%Y-%m-%dT%H:%M:%SZ}", "creators": ["Tool: freemetric-sbom"]},
        "packages": listed,
        "relationships": [_relation("SPDXRef-DOCUMENT", "DESCRIBES", _id("freemetric")), *depends],
    }


def _id(name):
    return f"SPDXRef-{re.sub(r'[^A-Za-z0-9.-]', '-', name)}"


def _relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def _package(name, version, licence):
    purl = {
        "referenceCategory": "PACKAGE-MANAGER",
        "referenceType": "purl",
        "referenceLocator": f"pkg:pypi/{name}@{version}",
    }
    return {
        "SPDXID": _id(name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": UNKNOWN,
        "filesAnalyzed": False,
        "licenseConcluded": UNKNOWN,
        "licenseDeclared": licence,
        "copyrightText": UNKNOWN,
        "externalRefs": [purl],
    }


def main() -> None:
    """Print the table, and write the bill of materials if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extra", action="append", default=[], help="extra to count in; repeatable")
    parser.add_argument("--spdx", type=Path, help="JSON file to write")
    given = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = re.search(r'"(.+)"', (ROOT / "src/freemetric/_version.py").read_text())[1]
    roots = direct(given.extra, project)
    packages = closure(roots)
    print(table(roots, packages))
    if given.spdx:
        created = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", datetime.now(UTC).timestamp())), UTC)
        given.spdx.parent.mkdir(parents=True, exist_ok=True)
        given.spdx.write_text(json.dumps(spdx(version, roots, packages, created), indent=2) + "\n")


if __name__ == "__main__":
    main()
