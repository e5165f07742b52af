"""Every learner fits, with its defaults, the data sets of the paper."""

import numpy as np
import pytest

from freemetric import LEARNERS

from .. import data_sets

SMALL = data_sets.names(most=300)
LARGER = data_sets.names(fewest=300, most=3000)


def fits(learner, name):
    X, y = data_sets.load(name)
    model = LEARNERS[learner]()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    A = model.fit(X, y).components_
    assert np.isfinite(A).all()
    assert A.shape[0] <= A.shape[1] == X.shape[1]
    assert np.linalg.norm(A) > 0


pytestmark = [
    pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.mark.skipif(not SMALL, reason=data_sets.MISSING)
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", SMALL)
def test_every_learner_fits_the_small_sets(learner, name):
    fits(learner, name)


@pytest.mark.slow
@pytest.mark.skipif(not LARGER, reason=data_sets.MISSING)
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", LARGER)
def test_every_learner_fits_the_larger_sets(learner, name):
    fits(learner, name)
