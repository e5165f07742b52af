"""Metrics as values: views (what is measured), forms (which maps), ensembles, and the committee that predicts.

Nothing here is fitted by itself; learners make these values, and files, displays, reports and graphs read them.
"""

from .class_densities import BASINS, Basins, MeanField, ScreenedField, Wells, register_basins
from .committee import BaseCommittee, Committee, NumberCommittee
from .forms import FORMS, Form, register_form
from .heads import Calibration, Mixture, Outlook, Reading, Scale
from .linear_views import Axes, Whitened
from .members import Candidate, Ensemble
from .training_set import NumberVoters, Told, Voters
from .trends import TRENDS, Trend
from .views import VIEWS, View, register_view

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
