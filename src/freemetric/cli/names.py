"""Names that the help of commands lists, written out: what they name takes seconds to import.

A test compares them with the names in ``tabular``.
"""

FORMATS = ("csv", "tsv", "txt", "excel", "jsonl", "json", "feather", "parquet", "arff", "libsvm")
"""Formats that are read."""

TEXTS = (".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".json")
WRITTEN = (*TEXTS, ".parquet", ".pq", ".feather", ".arrow", ".xlsx")
"""Endings of files that are written."""

PACKED = (".gz", ".bz2", ".xz", ".zip")
"""Endings of packed files that are written."""

PAPER = ("euclidean", "pca", "rca", "dca", "lfda", "itml", "lmnn", "dml-eig", "scml", "nca", "dmlmj", "dmlfe")
LEARNERS = (*PAPER, "covariance", "lsml", "mmc", "sdml", "lda", "gmml", "ncmml", "anmm", "ldml", "mcml")
FITTED = ("free-energy", *LEARNERS)
"""Methods whose models can be saved."""

FITTED_TO_NUMBERS = ("free-energy", "euclidean", "pca", "mlkr", "dmlfe")
"""Those that predict numbers."""

METHODS = ("rf", *LEARNERS, "dmlfe-paper", "free-energy", "hist-boosting", "svm", "logistic")
"""Methods that can be compared."""

NUMBER_METHODS = (*FITTED_TO_NUMBERS, "rf", "extra-trees", "hist-boosting")
"""Methods that can be compared on numbers."""
