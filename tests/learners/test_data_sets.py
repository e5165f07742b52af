"""Every learner fits, with its defaults, the data sets of the paper."""

import numpy as np
import pytest
from sklearn.preprocessing import minmax_scale

from freemetric import LEARNERS, datasets

from ..data_sets import FOLDER, MISSING

SIZES = {name: datasets.info(name).rows for name in datasets.list_datasets()}
SMALL = [name for name, rows in SIZES.items() if rows < 300]
LARGER = [name for name, rows in SIZES.items() if 300 <= rows < 3000]


def fits(learner, name):
    data = datasets.load(name, FOLDER)
    X, y = minmax_scale(data.X), data.y
    model = LEARNERS[learner]()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    A = model.fit(X, y).components_
    assert np.isfinite(A).all()
    assert A.shape[0] <= A.shape[1] == X.shape[1]
    assert np.linalg.norm(A) > 0


pytestmark = [
    pytest.mark.skipif(not (FOLDER / "MANIFEST.json").exists(), reason=MISSING),
    pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", SMALL)
def test_every_learner_fits_the_small_sets(learner, name):
    fits(learner, name)


@pytest.mark.slow
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", LARGER)
def test_every_learner_fits_the_larger_sets(learner, name):
    fits(learner, name)
