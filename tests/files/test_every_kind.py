"""Whatever has a tag goes into a file and comes back as it was, to the last bit."""

import numpy as np
import pytest

import freemetric
from freemetric.energies import CallableEnergy, NCAEnergy
from freemetric.files import ModelFileError, save
from freemetric.files.registry import BY_CLASS, BY_TAG
from freemetric.mc import ParallelTempering

from .examples import PARAMETER_OBJECTS, VALUES, X, chains, learners, recordings, searches, transformers, walks, y
from .tampering import parts
from .test_round_trip import assert_same, through_file

CANNOT_BE_SAVED = "energy:callable"
TAGS = [  # those of other tests, if any are still registered, are not ours
    tag
    for tag, entry in BY_TAG.items()
    if entry.cls.__module__.startswith(("freemetric.", "sklearn.")) and not tag.startswith("example:")
]

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::freemetric.exceptions.DataWarning"),
]


@pytest.fixture(scope="module")
def examples():
    walked = {"freemetric:chain": chains(), "freemetric:walk": walks(), "freemetric:recording": recordings()}
    return {**VALUES, **PARAMETER_OBJECTS, **transformers(), **searches(), **learners(), **walked}


def test_there_are_examples_of_every_kind(examples):
    assert set(examples) == set(TAGS) - {CANNOT_BE_SAVED}


@pytest.mark.parametrize("tag", [tag for tag in TAGS if tag != CANNOT_BE_SAVED])
def test_it_comes_back(tag, examples, tmp_path):
    for example in examples[tag]:
        loaded = through_file(example, tmp_path)
        assert parts(tmp_path / "a.model")[0]["class"] == tag
        assert_same(loaded, example)
        entry = BY_CLASS[type(example)]
        assert_same(dict(entry.to_state(loaded)), dict(entry.to_state(example)))
        first = (tmp_path / "a.model").read_bytes()
        save(loaded, tmp_path / "b.model")
        assert (tmp_path / "b.model").read_bytes() == first


def test_an_energy_that_is_a_function_does_not(tmp_path):
    with pytest.raises(ModelFileError, match="CallableEnergy cannot be saved: its parameter `function` is a function"):
        save(CallableEnergy(np.sum), tmp_path / "a.model")


def test_chains_go_on_as_if_nothing_had_happened(examples, tmp_path):
    energy, sampler = NCAEnergy().bind(X, y), ParallelTempering((0.0, 1e-3), n_steps=5)
    chain = examples["freemetric:chain"][3]
    loaded = through_file(chain, tmp_path)
    for _ in range(2):
        chain, loaded = sampler.advance(chain, energy)[0], sampler.advance(loaded, energy)[0]
    assert_same(loaded, chain)


def test_ensembles_predict_without_their_model(examples, tmp_path):
    for ensemble in examples["freemetric:ensemble"]:
        loaded = through_file(ensemble, tmp_path)
        assert loaded.predict(X).tobytes() == ensemble.predict(X).tobytes()
        assert_same(loaded.embed(X), ensemble.embed(X))


@pytest.mark.parametrize("tag", ["freemetric:free-energy-classifier", "freemetric:metric-k-neighbors-classifier"])
def test_the_machine_decides_about_threads(tag, examples, tmp_path):
    model = examples[tag][0]
    before = model.n_jobs
    model.set_params(n_jobs=-1)
    save(model, tmp_path / "a.model")
    assert model.n_jobs == -1
    assert freemetric.load(tmp_path / "a.model").n_jobs is None
    model.set_params(n_jobs=before)
