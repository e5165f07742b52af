"""The published rows through our statistics give what the errata list."""

import pytest

from freemetric.bench.stats import critical_difference, friedman, posthoc, summarise, wilcoxon
from freemetric.bench.tables import published_errors

MEANS = {"DMLeig": 21.18, "DMLMJ": 16.24, "SCML": 17.09, "LMNN": 16.11, "ITML": 16.36, "NCA": 15.36}
RANKS = {
    "RF": 4.58,
    "Euclidean": 6.99,
    "PCA": 7.12,
    "RCA": 7.33,
    "DCA": 8.12,
    "LFDA": 11.22,
    "DMLeig": 10.43,
    "DMLMJ": 5.17,
    "SCML": 7.67,
    "LMNN": 5.71,
    "ITML": 7.29,
    "NCA": 5.99,
    "DMLFE": 3.38,
}


@pytest.fixture(scope="module")
def errors():
    return published_errors()


def test_shape_and_cells(errors):
    assert errors.shape == (36, 13)
    assert list(errors.columns) == list(RANKS)
    assert errors.notna().all(axis=None)
    assert errors.loc["iris", "RCA"] == 2.00  # lower than the printed winner
    assert errors.loc["cod-rna", "DMLFE"] == 4.36


def test_means_and_ranks(errors):
    table = summarise(errors).table
    assert {method: f"{table.loc[method, 'mean']:.2f}" for method in MEANS} == {m: f"{v:.2f}" for m, v in MEANS.items()}
    assert table["rank"].to_dict() == pytest.approx(RANKS, abs=0.00501)


def test_wilcoxon(errors):
    p = wilcoxon(errors, "DMLFE")["p_value"]
    assert p["RF"] == pytest.approx(0.38, abs=0.005)
    assert (p.drop("RF") < 0.006).all()


def test_friedman(errors):
    result = friedman(errors)
    assert f"{result.p_value:.0e}" == "6e-23"
    assert result.f_p_value < result.p_value  # Friedman's is the conservative one
    assert (result.n_sets, result.left_out) == (36, ())


def test_critical_differences():
    assert critical_difference(13, 36, 0.05, "nemenyi") == pytest.approx(3.0409, abs=5e-5)
    assert critical_difference(13, 36, 0.05, "bonferroni-dunn") == pytest.approx(2.63, abs=5e-3)


def test_nca_is_inside_nemenyis_interval_and_scml_outside(errors):
    table = posthoc(errors, "DMLFE").table
    assert table.loc["NCA", "difference"] == pytest.approx(2.61, abs=0.005)
    assert table.loc["SCML", "difference"] == pytest.approx(4.29, abs=0.005)
    assert not table.loc["NCA", "nemenyi"]
    assert table.loc["SCML", "nemenyi"]
    assert table.index[~table["wilcoxon"]].tolist() == ["RF"]
