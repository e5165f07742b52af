"""Metrics as values: views (what is measured), forms (which maps), ensembles, and the committee that predicts.

Nothing here is fitted by itself; learners make these values, and files, displays, reports and graphs read them.
"""

from .axes import Axes
from .basins import BASINS, Basins, register_basins
from .committee import BaseCommittee, Committee
from .ensemble import Candidate, Ensemble
from .forms import FORMS, Form, register_form
from .mean_field import MeanField, ScreenedField
from .mixture import Calibration, Mixture
from .number_committee import NumberCommittee
from .number_voters import NumberVoters
from .reading import Outlook, Reading
from .scales import Scale
from .told import Told
from .trends import TRENDS, Trend
from .views import VIEWS, View, register_view
from .voters import Voters
from .wells import Wells
from .whitened import Whitened

__all__ = [
    "BASINS",
    "FORMS",
    "TRENDS",
    "VIEWS",
    "Axes",
    "BaseCommittee",
    "Basins",
    "Calibration",
    "Candidate",
    "Committee",
    "Ensemble",
    "Form",
    "MeanField",
    "Mixture",
    "NumberCommittee",
    "NumberVoters",
    "Outlook",
    "Reading",
    "Scale",
    "ScreenedField",
    "Told",
    "Trend",
    "View",
    "Voters",
    "Wells",
    "Whitened",
    "register_basins",
    "register_form",
    "register_view",
]
