"""Metrics as values: views (what is measured), forms (which maps), members of an ensemble and their neighbours.

Nothing here is fitted by itself; learners make these values, and files, displays, reports and graphs read them. Scores
of retrieval measure how well a metric finds relevant items.
"""

from .boosted_trees import BoostedTrees, BoostedTrend
from .class_densities import (
    CLASS_DENSITIES,
    BinnedNaiveBayes,
    ClassDensity,
    ScreenedNaiveBayes,
    SharedStudentT,
    StudentTDiscriminant,
    register_class_density,
)
from .forms import FORMS, Candidate, Form, Member, register_form
from .linear_views import Axes, Whitened
from .retrieval_scores import map_at_r, ndcg, precision_at_1, r_precision
from .training_set import ClassEncoding, TargetEncoding, TrainingSet
from .trends import TRENDS, Trend
from .views import VIEWS, View, register_view

__all__ = [
    "CLASS_DENSITIES",
    "FORMS",
    "TRENDS",
    "VIEWS",
    "Axes",
    "BinnedNaiveBayes",
    "BoostedTrees",
    "BoostedTrend",
    "Candidate",
    "ClassDensity",
    "ClassEncoding",
    "Form",
    "Member",
    "ScreenedNaiveBayes",
    "SharedStudentT",
    "StudentTDiscriminant",
    "TargetEncoding",
    "TrainingSet",
    "Trend",
    "View",
    "Whitened",
    "map_at_r",
    "ndcg",
    "precision_at_1",
    "r_precision",
    "register_class_density",
    "register_form",
    "register_view",
]
