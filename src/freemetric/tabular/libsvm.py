"""LIBSVM files: a label, then index:value pairs. Columns are called by their index, as it stands in the file."""

import io
import re

from sklearn.datasets import load_svmlight_file

from .table import InputError, Table

LABEL = "label"
LARGEST = 1 << 30  # bytes of the table once zeros are filled in
LINE = re.compile(rb"\s*(#.*|[-+.\w]+(\s+qid:\d+)?(\s+\d+:[-+.\w]+)*\s*(#.*)?)?")


def read_libsvm(source, content):
    """The table of a LIBSVM file; a column that a file does not mention is zero."""
    _check_lines(source, content)
    try:
        X, y = load_svmlight_file(io.BytesIO(content), zero_based=True)
    except (ValueError, OverflowError) as problem:
        raise InputError(f"{source}: not a LIBSVM file ({' '.join(str(problem).split())})") from problem
    if not len(y):
        raise InputError(f"{source}: no rows")
    if X.shape[0] * X.shape[1] * 8 > LARGEST:
        raise InputError(f"{source}: {X.shape[0]} rows of {X.shape[1]} features are too many to fill in the zeros")
    first = 0 if (X.indices == 0).any() else 1  # most files count from one
    X = X.toarray()
    columns = {LABEL: y} | {str(i): X[:, i] for i in range(first, X.shape[1])}
    return Table(source, columns, dict.fromkeys(columns, "numeric"), target=LABEL, sparse=True)


def _check_lines(source, content):
    """Say which line is no row; scikit-learn's reader does not."""
    for number, line in enumerate(content.split(b"\n"), 1):
        if not LINE.fullmatch(line.rstrip(b"\r")):
            raise InputError(f"{source}, line {number}: not a label and index:value pairs")
