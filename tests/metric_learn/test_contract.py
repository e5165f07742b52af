"""scikit-learn's contract for the estimators of points, and metric-learn's signatures
for all.
"""

import inspect

import pytest
from sklearn.base import TransformerMixin, is_classifier
from sklearn.utils.estimator_checks import check_estimator

from freemetric import metric_learn

POINTS = {
    "Covariance": {},
    "LFDA": {},
    "LMNN": {},
    "NCA": {},
    "MLKR": {},
    "RCA_Supervised": {"n_chunks": 2},
    "ITML_Supervised": {},
    "LSML_Supervised": {},
    "MMC_Supervised": {},
    "SDML_Supervised": {"balance_param": 1e-5},
    "SCML_Supervised": {"n_basis": 5, "max_iter": 1000},
}
SLOW = {name: pytest.mark.slow for name in {*POINTS} - {"LFDA", "RCA_Supervised"}}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=SLOW.get(name, ())) for name in POINTS]
)
@pytest.mark.filterwarnings("ignore")
def test_the_contract_of_scikit_learn(name):
    check_estimator(getattr(metric_learn, name)(**POINTS[name]))


SIGNATURES = {
    "Covariance": "preprocessor=None",
    "ITML": "gamma=1.0, max_iter=1000, tol=0.001, prior='identity', verbose=False, "
    "preprocessor=None, random_state=None",
    "ITML_Supervised": "gamma=1.0, max_iter=1000, tol=0.001, n_constraints=None, "
    "prior='identity', verbose=False, preprocessor=None, random_state=None",
    "LFDA": "n_components=None, k=None, embedding_type='weighted', preprocessor=None",
    "LMNN": "init='auto', n_neighbors=3, min_iter=50, max_iter=1000, learn_rate=1e-07, "
    "regularization=0.5, convergence_tol=0.001, verbose=False, preprocessor=None, "
    "n_components=None, random_state=None",
    "LSML": "tol=0.001, max_iter=1000, prior='identity', verbose=False, "
    "preprocessor=None, random_state=None",
    "LSML_Supervised": "tol=0.001, max_iter=1000, prior='identity', "
    "n_constraints=None, weights=None, verbose=False, preprocessor=None, "
    "random_state=None",
    "MLKR": "n_components=None, init='auto', tol=None, max_iter=1000, verbose=False, "
    "preprocessor=None, random_state=None",
    "MMC": "max_iter=100, max_proj=10000, tol=0.001, init='identity', diagonal=False, "
    "diagonal_c=1.0, verbose=False, preprocessor=None, random_state=None",
    "MMC_Supervised": "max_iter=100, max_proj=10000, tol=1e-06, n_constraints=None, "
    "init='identity', diagonal=False, diagonal_c=1.0, verbose=False, "
    "preprocessor=None, random_state=None",
    "NCA": "init='auto', n_components=None, max_iter=100, tol=None, verbose=False, "
    "preprocessor=None, random_state=None",
    "RCA": "n_components=None, preprocessor=None",
    "RCA_Supervised": "n_components=None, n_chunks=100, chunk_size=2, "
    "preprocessor=None, random_state=None",
    "SCML": "beta=1e-05, basis='triplet_diffs', n_basis=None, gamma=0.005, "
    "max_iter=10000, output_iter=500, batch_size=10, verbose=False, "
    "preprocessor=None, random_state=None",
    "SCML_Supervised": "k_genuine=3, k_impostor=10, beta=1e-05, basis='lda', "
    "n_basis=None, gamma=0.005, max_iter=10000, output_iter=500, batch_size=10, "
    "verbose=False, preprocessor=None, random_state=None",
    "SDML": "balance_param=0.5, sparsity_param=0.01, prior='identity', verbose=False, "
    "preprocessor=None, random_state=None",
    "SDML_Supervised": "balance_param=0.5, sparsity_param=0.01, prior='identity', "
    "n_constraints=None, verbose=False, preprocessor=None, random_state=None",
}
FITS = {
    "ITML": "pairs, y, bounds=None, calibration_params=None",
    "MMC": "pairs, y, calibration_params=None",
    "SDML": "pairs, y, calibration_params=None",
    "SCML": "triplets",
    "LSML": "quadruplets, weights=None",
    "RCA": "X, chunks",
    "ITML_Supervised": "X, y, bounds=None",
    "Covariance": "X, y=None",
}


def spelled(function):
    parameters = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in inspect.signature(function).parameters.values()
    ]
    return ", ".join(map(str, parameters)).removeprefix("self, ")


@pytest.mark.parametrize("name", SIGNATURES)
def test_parameters_come_in_the_order_of_metric_learn(name):
    cls = getattr(metric_learn, name)
    assert name in metric_learn.__all__
    assert spelled(cls.__init__) == SIGNATURES[name]
    assert spelled(cls.fit) == FITS.get(name, "X, y")


@pytest.mark.parametrize("name", SIGNATURES)
def test_tuples_are_classified_and_points_are_mapped(name):
    model = getattr(metric_learn, name)()
    of_tuples = name in ("ITML", "MMC", "SDML", "SCML", "LSML")
    assert is_classifier(model) == of_tuples
    assert isinstance(model, TransformerMixin) != of_tuples
