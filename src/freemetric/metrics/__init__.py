"""Metrics as values: views (what is measured), forms (which maps), ensembles, and the committee that predicts.

Nothing here is fitted by itself; learners make these values, and files, displays, reports and graphs read them.
"""

from .committee import Committee
from .ensemble import Candidate, Ensemble
from .forms import FORMS, Form, register_form
from .mixture import Calibration, Mixture
from .views import VIEWS, View, register_view
from .voters import Voters
from .whitened import Whitened

__all__ = [
    "FORMS",
    "VIEWS",
    "Calibration",
    "Candidate",
    "Committee",
    "Ensemble",
    "Form",
    "Mixture",
    "View",
    "Voters",
    "Whitened",
    "register_form",
    "register_view",
]
