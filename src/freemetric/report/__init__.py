"""The report: one HTML page about a fitted model, which opens anywhere, without a network.

``collect.py`` reads the model, with ``shown_rows.py`` and ``predictions.py``. ``panels.py``, ``monte_carlo_panel.py``
and ``explain.py`` turn its findings into what the page shows, ``summary.py`` into words; ``page.py`` puts the page
together, ``document.py`` makes it one file. ``static/`` holds what runs in the browser. ``card.py`` is the short form,
a few lines for a notebook. ``evaluation_page.py`` writes a page of its own about a comparison of methods.
"""

from .evaluation_page import write_evaluation
from .page import write

__all__ = ["write", "write_evaluation"]
