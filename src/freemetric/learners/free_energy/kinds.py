"""Which kinds a problem allows."""

from collections.abc import Sequence

from ...energies import CallableEnergy, LogNCAEnergy, NCAEnergy
from ...metrics import FORMS, VIEWS
from .budget import check_affordable, is_affordable
from .candidates import simplest_first
from .recipe import check_kind
from .search import Problem


def kinds_to_try(kinds: Sequence[str], problem: Problem) -> list[str]:
    """Those of the kinds that the problem allows, the simpler ones first.

    Where one energy is given for all, kinds differ by view and form only. One that knows its own data allows no other
    view than scaled features and no restricted map. Fewer dimensions than features allow no form that cannot reduce,
    very many features no view that they make too expensive, nor maps that mix its columns: another view may stand in.
    """
    for kind in kinds:
        check_kind(kind)
    parts = [kind.split("/") for kind in kinds]
    if problem.energy is not None:
        energy = ["nca"] if isinstance(problem.energy, NCAEnergy) else []
        parts = [[view, form, *(energy if FORMS[form].learns else [])] for view, form, *_ in parts]
        if isinstance(problem.energy, CallableEnergy):
            parts = [part for part in parts if not FORMS[part[1]].learns or _is_plain(*part[:2])]
    if problem.n_components is not None:
        parts = [part for part in parts if FORMS[part[1]].reduces]
    n_features = problem.voters.X.shape[1]
    affordable = parts
    if not isinstance(problem.energy, CallableEnergy):
        # of weights alone other energies would see matrices
        mixes = not isinstance(problem.energy, NCAEnergy | LogNCAEnergy | None)
        seen = ([_affordable_view(part[0], part[1], n_features, mixes), *part[1:]] for part in parts)
        affordable = [part for part in seen if part[0] is not None]
    names = list(dict.fromkeys("/".join(part) for part in affordable or parts))
    if not names:
        raise ValueError(f"candidates: none of {', '.join(kinds)} fits the energy and n_components given.")
    check_affordable(names, n_features)
    return simplest_first(names)


def _affordable_view(view, form, n_features, mixes):
    """The view, what stands in for it, or None."""
    return view if is_affordable(view, form, n_features, mixes) else VIEWS[view].for_more


def _is_plain(view, form):
    return VIEWS[view].keeps_features and FORMS[form].is_free
