"""Attributes that a class may have in a file: those that its docstring lists."""

import subprocess
import sys

import pytest
from sklearn.preprocessing import StandardScaler

from freemetric import LFDA, FreeEnergyClassifier
from freemetric.files import documented
from freemetric.files.estimators import check_names


class Silent:
    pass


class Terse:
    """Does something.

    Parameters
    ----------
    a_ : int
        No attribute.
    """


class Wordy:
    """Does something.

    Attributes
    ----------
    a_, b_ : float
        Two of them: in one line.
    c_: ndarray of shape (n,)
        Without a blank.

    Notes
    -----
    d_ : no attribute
    """

    def fit(self):
        """A method."""


@pytest.mark.parametrize(
    ("cls", "names"), [(Silent, None), (Terse, set()), (Wordy, {"a_", "b_", "c_"})], ids=["silent", "terse", "wordy"]
)
def test_names_in_docstrings(cls, names):
    assert documented(cls) == names


def test_names_in_real_docstrings():
    assert documented(LFDA) >= {"components_", "eigenvalues_", "n_features_in_"}
    assert documented(FreeEnergyClassifier) >= {"temperature_", "confinement_", "ensemble_"}
    assert documented(StandardScaler) >= {"scale_", "mean_", "var_", "n_samples_seen_"}
    assert not {"DMLFE", "n_replicas"} & documented(FreeEnergyClassifier)


def test_names_that_are_allowed():
    check_names(Wordy, ["p", "a_", "_private", "n_features_in_"], ["p"], documented(Wordy), ["_private"])
    check_names(Wordy, ["p", "anything_"], ["p"])
    for name in ("anything_", "_other", "q", "fit", "__dict__", "__anything_", "", 5):
        with pytest.raises(ValueError, match="Wordy with an attribute"):
            check_names(Wordy, [name], ["p"], documented(Wordy), ["_private"])
    for name in ("anything", "_anything_", "fit"):
        with pytest.raises(ValueError, match="Wordy with an attribute"):
            check_names(Wordy, [name], ["p"])


WITHOUT_DOCSTRINGS = """
import sys
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
import freemetric
model = make_pipeline(OneHotEncoder(sparse_output=False), freemetric.RCA(n_components=1))
model.fit([["a"], ["b"], ["c"], ["a"], ["b"]], [0, 1, 1, 0, 1])
freemetric.files.save(model, sys.argv[1])
print(freemetric.RCA.__doc__, (freemetric.load(sys.argv[1])[-1].components_ == model[-1].components_).all())
"""


@pytest.mark.slow
def test_without_docstrings_all_public_names_are_allowed(tmp_path):
    command = [sys.executable, "-OO", "-W", "ignore", "-c", WITHOUT_DOCSTRINGS, str(tmp_path / "a.model")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "None True"
