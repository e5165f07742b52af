"""Metrics as values: views (what is measured), forms (which maps), ensembles, and the committee that predicts.

Nothing here is fitted by itself; learners make these values, and files, displays, reports and graphs read them.
"""

from .axes import Axes
from .basins import BASINS, Basins, register_basins
from .committee import Committee
from .ensemble import Candidate, Ensemble
from .forms import FORMS, Form, register_form
from .mean_field import MeanField, ScreenedField
from .mixture import Calibration, Mixture
from .views import VIEWS, View, register_view
from .voters import Voters
from .wells import Wells
from .whitened import Whitened

__all__ = [
    "BASINS",
    "FORMS",
    "VIEWS",
    "Axes",
    "Basins",
    "Calibration",
    "Candidate",
    "Committee",
    "Ensemble",
    "Form",
    "MeanField",
    "Mixture",
    "ScreenedField",
    "View",
    "Voters",
    "Wells",
    "Whitened",
    "register_basins",
    "register_form",
    "register_view",
]
