"""Columns of a frame as numbers, by the rules that freemetric has for people's own tables."""

from freemetric.tabular.preprocessing import plan
from freemetric.tabular.schema import Column, Schema


class FrameEncoder:
    """Numbers with medians in their gaps, and a flag for gaps that are many; a feature per category, rare ones in one.

    A category that was never seen is one of the rare ones. Columns that tell nothing are left out.
    """

    def fit(self, frame):
        kinds = {name: _kind(frame[name]) for name in frame.columns}
        self.names = [name for name, kind in kinds.items() if kind == "nominal"]
        schema = Schema("", tuple(Column(name, kind) for name, kind in kinds.items()))
        plain = self._plain(frame)
        self.transformer = plan(plain, schema).transformer().fit(plain)
        return self

    def _plain(self, frame):
        """Categories as objects, which is what tables hold; everything else as float."""
        return frame.astype(
            {name: object if name in self.names else float for name in frame.columns}
        )

    def transform(self, frame):
        return self.transformer.transform(self._plain(frame))


def _kind(column):
    return "numeric" if column.dtype.kind in "biuf" else "nominal"
