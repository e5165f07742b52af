"""The licence of an installed package, as SPDX names it."""

import re
from importlib.metadata import Distribution

UNKNOWN = "NOASSERTION"  # SPDX's word
SHORT = re.compile(r"[A-Z][A-Za-z]+-\d[\d.]*(-Clause)?")  # an SPDX name, as Apache-2.0
LICENCES = {
    "apache software license": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "bsd 3-clause": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
    "bsd 2-clause": "BSD-2-Clause",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mit": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
}
"""Words of older metadata that mean one licence; "BSD License" alone does not."""


def licence(package: Distribution) -> str:
    """The SPDX expression of a package's licence, or NOASSERTION."""
    if package.metadata.get("License-Expression"):
        return package.metadata["License-Expression"]
    known = {LICENCES.get(text.lower()) or (text if SHORT.fullmatch(text) else None) for text in words(package)} - {
        None
    }
    return known.pop() if len(known) == 1 else UNKNOWN


def words(package: Distribution) -> list[str]:
    """What a package's classifiers and its field of one line say about its licence."""
    about = package.metadata
    classified = [text.split(" :: ")[-1] for text in about.get_all("Classifier") or () if text.startswith("License")]
    return [*classified, *(text for text in [(about.get("License") or "").strip()] if text and "\n" not in text)]


def terms(package: Distribution) -> str:
    """The licence for people: its SPDX expression, or what the package says in its own words."""
    known = licence(package)
    return known if known != UNKNOWN else f"{' / '.join(words(package)) or 'nothing said'} (no SPDX name)"
