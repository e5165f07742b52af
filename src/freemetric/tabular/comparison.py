"""What a comparison says: errors with their spread, ranks, and which differences are more than chance."""

from collections import defaultdict
from dataclasses import asdict

import numpy as np

from ..bench import stats
from ..bench.rendering import Table as TextTable
from ..bench.tables import error_table, posthoc_table
from ..extras import require
from .evaluation import Settings, Split

pd = require("pandas")

OVER_LIMIT = "over the limit"


class Comparison:
    """Splits grouped by file and method; an error is missing where one of its splits has none."""

    def __init__(self, splits: list[Split], settings: Settings):
        self.settings = settings
        self.cells = defaultdict(list)
        for split in splits:
            self.cells[split.file, split.method].append(split)
        self.files = list(dict.fromkeys(split.file for split in splits))
        self.methods = list(dict.fromkeys(split.method for split in splits))
        self.failures = [split for split in splits if split.failure]

    def protocol(self) -> str:
        """How errors were measured, in words."""
        set_ = self.settings
        limits = {"s": set_.limits.seconds, "MB": set_.limits.megabytes}
        most = [f"{most:g} {unit}" for unit, most in limits.items() if most is not None]
        return (
            f"Protocol honest: {set_.repeats} x {set_.folds}-fold stratified cross-validation, seed {set_.seed}; "
            "preprocessing, metric and k come from the training rows of each split alone"
        ) + (f"; limit of one fit {', '.join(most)}" if most else "")

    def errors(self):
        """Mean error in %, a DataFrame (files x methods), NaN where a split failed."""
        rows = [[self._error(file, method) for method in self.methods] for file in self.files]
        return pd.DataFrame(rows, index=self.files, columns=self.methods, dtype=float)

    def _error(self, file, method):
        splits = self.cells[file, method]
        return np.nan if any(split.failure for split in splits) else float(np.mean([s.error for s in splits]))

    def rows(self) -> list[dict]:
        """One dict per file and method."""
        out = []
        for (file, method), splits in self.cells.items():
            errors = [split.error for split in splits if split.error is not None]
            error = self._error(file, method)
            known = not np.isnan(error)
            out.append(
                {
                    "file": file,
                    "method": method,
                    "error": error if known else None,
                    "spread": float(np.std(errors, ddof=1)) if known and len(errors) > 1 else None,
                    "seconds": float(np.mean([split.seconds for split in splits])),
                    "errors": errors,
                    "failure": next((split.failure for split in splits if split.failure), None),
                    "over_limit": any(split.over_limit for split in splits),
                }
            )
        return out

    def table(self) -> TextTable:
        """Error, spread over the splits and seconds a split; the lowest error of a file in bold."""
        rows, cells, bold = self.rows(), [], set()
        lowest = self.errors().min(axis=1)
        for i, row in enumerate(rows):
            known = row["error"] is not None
            spread = "" if row["spread"] is None else f" \u00b1 {row['spread']:.2f}"
            error = f"{row['error']:.2f}{spread}" if known else OVER_LIMIT if row["over_limit"] else None
            cells.append((row["file"], row["method"], error, f"{row['seconds']:.2f}"))
            if known and row["error"] <= lowest[row["file"]] + 1e-9:
                bold.add((i, 2))
        caption = f"Error in % \u00b1 standard deviation over splits. {self.protocol()}."
        return TextTable(("File", "Method", "Error in %", "Seconds"), tuple(cells), caption, frozenset(bold))

    @property
    def ranked(self) -> bool:
        """Whether there are files and methods enough for ranks."""
        return self.errors().notna().all(axis=1).sum() > 1 and len(self.methods) > 1

    def rank_tables(self) -> list[TextTable]:
        """Errors with average ranks, and every method against the first: for several files."""
        return [error_table(self.errors()), posthoc_table(self.errors(), self.methods[0])]

    def as_json(self) -> dict:
        """Everything, as JSON values."""
        set_ = asdict(self.settings)
        out = {"protocol": "honest", **set_, "results": self.rows()}
        if self.ranked:
            summary = stats.summarise(self.errors())
            k, n = len(self.methods), summary.n_sets
            out["ranks"] = {name: float(rank) for name, rank in summary.table["rank"].items()}
            tests = ("nemenyi", "bonferroni-dunn")
            out["critical_difference"] = {test: stats.critical_difference(k, n, test=test) for test in tests}
            out["friedman_p"] = stats.friedman(self.errors()).p_value if k > 2 else None
        return out
