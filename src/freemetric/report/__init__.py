"""The report: one HTML page about a fitted model, which opens anywhere, without a network.

``collect.py`` reads the model, with ``shown_rows.py`` and ``predictions.py``, into ``findings.py``. ``panels.py`` and
``predictions.py`` turn findings into figures, ``summary.py`` into words. ``page.py`` puts the page together, and one
about F, C and overlaps over temperature; ``document.py`` writes it as one file, with the scripts of ``static/``.
``card.py`` shows findings in a notebook. ``evaluation_page.py`` writes a page about a comparison of methods.
"""

from .collect import ReportOptions
from .evaluation_page import write_evaluation
from .page import write, write_thermodynamics

__all__ = ["ReportOptions", "write", "write_evaluation", "write_thermodynamics"]
