"""ARFF files, Weka's: attributes with declared kinds, then rows. Dense rows only."""

import csv
import re

from .delimited import check_names, from_rows, text_of
from .table import InputError, quoted

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{'\"][^\s{{]*)\s*(\{{.*\}}.*|[^{{].*)", re.IGNORECASE)
KINDS = {"numeric": "numeric", "real": "numeric", "integer": "numeric", "string": "nominal", "date": "nominal"}


def read_arff(source, content, missing):
    """The table of an ARFF file; kinds are as declared."""
    lines = [(number, line.strip()) for number, line in enumerate(text_of(source, content).splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("%")]
    start = next((i for i, (_, line) in enumerate(lines) if line.lower().startswith("@data")), None)
    if start is None:
        raise InputError(f"{source}: no line @data")
    kinds = _attributes(source, lines[:start])
    rows = [_fields(source, number, line) for number, line in lines[start + 1 :]]
    if not rows:
        raise InputError(f"{source}: attributes and no rows")
    return from_rows(source, list(kinds), rows, [number for number, _ in lines[start + 1 :]], missing, kinds)


def _attributes(source, lines):
    """Kinds by name, in order."""
    names, kinds = [], []
    for number, line in lines:
        if line.lower().startswith("@relation"):
            continue
        found = ATTRIBUTE.fullmatch(line)
        declared = found and ("{" if found[2].startswith("{") else found[2].split()[0].lower())
        if declared != "{" and declared not in KINDS:
            raise InputError(f"{source}, line {number}: {quoted(line)} is no attribute of a known kind")
        names.append(_bare(found[1]))
        kinds.append(KINDS.get(declared, "nominal"))
    if not names:
        raise InputError(f"{source}: no line @attribute")
    check_names(f"{source}, header", names)
    return dict(zip(names, kinds, strict=True))


def _fields(source, number, line):
    if line.startswith("{"):
        raise InputError(f"{source}, line {number}: a sparse row; only dense ARFF files are read")
    quote = '"' if '"' in line and "'" not in line else "'"
    try:
        (fields,) = csv.reader([line], quotechar=quote, escapechar="\\", skipinitialspace=True, strict=True)
    except (csv.Error, ValueError) as problem:
        raise InputError(f"{source}, line {number}: {problem}") from problem
    return [field.strip() for field in fields]


def _bare(name):
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name[0] in "'\"" else name
