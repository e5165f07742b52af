"""The training patterns in every replica's space, ready to vote; kept between predictions while they are small."""

from weakref import WeakKeyDictionary

from ..votes import NeighborVotes

KEPT_BYTES = 256 << 20
# No attribute of the model: predicting must not change an estimator, and its file holds no search trees.
KEPT: WeakKeyDictionary = WeakKeyDictionary()


def voters_of(model):
    """For every ensemble of a fitted classifier a NeighborVotes per replica; made anew where the model has changed."""
    made_from = model.ensembles_, model.n_jobs, model.device
    before, voters = KEPT.get(model, (None, None))
    if before is not None and before[0] is made_from[0] and before[1:] == made_from[1:]:
        return voters
    X, y = model._voting
    seen = {name: view(X) for name, view in model.views_.items()}
    voters = (_voters(model, ensemble, seen[ensemble.candidate.view], y) for ensemble in model.ensembles_)
    if _bytes(model) <= KEPT_BYTES:
        voters = [list(of_ensemble) for of_ensemble in voters]
        KEPT[model] = made_from, voters
    return voters


def _voters(model, ensemble, V, y):
    K, C = model._mixture.weights.shape[1], len(model.classes_)
    for Z in ensemble.spaces(V):
        yield NeighborVotes(Z, y, C, K, model.n_jobs, model.device, model._weights)


def _bytes(model):
    """About what the voters take: coordinates, once more in a tree, and the classes to vote for."""
    each = [max(1, len(e.maps)) * (16 * e.n_coordinates + 4 * len(model.classes_)) for e in model.ensembles_]
    return len(model._patterns) * sum(each)
