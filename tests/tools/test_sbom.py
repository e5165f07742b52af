"""The bill of materials is complete, well formed, and claims no licence that a package does not."""

import re
from datetime import UTC, datetime
from email.message import Message
from importlib.metadata import distribution, version
from types import SimpleNamespace

import pytest

sbom = pytest.importorskip("sbom", reason="tools are not part of an installed package")

PROJECT = {
    "dependencies": ["numpy>=1.26", "scikit-learn>=1.6"],
    "optional-dependencies": {"cli": ["freemetric[report]", "rich>=13"], "report": ["jinja2>=3.1"]},
}


@pytest.fixture(scope="module")
def document():
    roots = sbom.direct(["cli"], PROJECT)
    return sbom.spdx("1.2.3", roots, sbom.closure(roots), datetime(2026, 1, 31, tzinfo=UTC))


def package(**fields):
    about = Message()
    for name, text in fields.items():
        for one in [text] if isinstance(text, str) else text:
            about[name.replace("_", "-")] = one
    return SimpleNamespace(metadata=about)


def test_extras_inside_extras_are_opened():
    assert [r.name for r in sbom.direct([], PROJECT)] == ["numpy", "scikit-learn"]
    assert [r.name for r in sbom.direct(["cli"], PROJECT)] == ["numpy", "scikit-learn", "jinja2", "rich"]


def test_what_others_need_is_there_with_its_version(document):
    listed = {entry["name"]: entry["versionInfo"] for entry in document["packages"]}
    assert listed["freemetric"] == "1.2.3"
    for name in (
        "numpy",
        "scipy",
        "joblib",
        "threadpoolctl",
        "markupsafe",
        "pygments",
    ):  # by scikit-learn, jinja2, rich
        assert listed[name] == version(name)


def test_relations_lead_to_packages(document):
    known = {entry["SPDXID"] for entry in document["packages"]}
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name) for name in known)
    assert len(known) == len(document["packages"])
    describes, *depends = document["relationships"]
    assert (describes["relationshipType"], describes["relatedSpdxElement"]) == ("DESCRIBES", "SPDXRef-freemetric")
    assert {name for arrow in depends for name in (arrow["spdxElementId"], arrow["relatedSpdxElement"])} <= known
    assert ("SPDXRef-jinja2", "SPDXRef-markupsafe") in {(a["spdxElementId"], a["relatedSpdxElement"]) for a in depends}


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ({"License_Expression": "MIT OR Apache-2.0", "License": "other"}, "MIT OR Apache-2.0"),
        ({"Classifier": ["Topic :: Software", "License :: OSI Approved :: MIT License"]}, "MIT"),
        ({"License": "Apache-2.0"}, "Apache-2.0"),
        ({"Classifier": ["License :: OSI Approved :: BSD License"], "License": "BSD 3-Clause"}, "BSD-3-Clause"),
        ({"Classifier": ["License :: OSI Approved :: BSD License"]}, "NOASSERTION"),  # which of them?
        ({"Classifier": ["License :: OSI Approved :: MIT License"], "License": "BSD-3-Clause"}, "NOASSERTION"),
        ({}, "NOASSERTION"),
    ],
)
def test_licences_are_those_that_a_package_claims(fields, licence):
    assert sbom.licence(package(**fields)) == licence


def test_a_table_for_people():
    roots = sbom.direct(["cli"], PROJECT)
    lines = sbom.table(roots, sbom.closure(roots)).splitlines()
    assert lines[0].split()[:2] == ["package", "version"]
    numpy = next(line for line in lines if line.startswith("numpy "))
    assert distribution("numpy").version in numpy
    assert ">=1.26" in numpy
