"""Metrics learned on a sample: every class is in it, k-NN uses all, and the record says so."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import Bunch

from freemetric import NCA, PCA
from freemetric.bench import protocol, records
from freemetric.bench.protocol import OnSample
from freemetric.bench.records import BenchJob
from freemetric.bench.runner import RunOptions, plan, run
from freemetric.tabular.methods import stratified_sample


def evaluated(job, data, **options):
    return protocol.evaluate(job, Bunch(X=data[0], y=data[1]), **options)


def counts_of_sample(rng, counts, most_samples):
    y = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    sample = stratified_sample(rng, y, most_samples)
    assert len(set(sample.tolist())) == len(sample)
    return np.bincount(y[sample], minlength=len(counts)).tolist()


@pytest.mark.parametrize(
    ("counts", "most_samples", "expected"),
    [
        ([600, 300, 100], 100, [60, 30, 10]),
        ([1000, 3, 2, 1], 100, [95, 2, 2, 1]),  # two of each where a class has them
        ([1000, 1000], 11, [6, 5]),
        ([7, 2, 1], 10, [7, 2, 1]),
        ([7, 2, 1], 50, [7, 2, 1]),
        ([40, 40, 40], 4, [2, 1, 1]),  # no room for two of each
    ],
)
def test_classes_keep_their_shares_and_at_least_two_samples(rng, counts, most_samples, expected):
    assert counts_of_sample(rng, counts, most_samples) == expected


def test_every_sample_of_a_class_is_as_likely(rng):
    y = np.repeat(["a", "b"], [12, 4])
    seen = np.bincount(np.concatenate([stratified_sample(rng, y, 8) for _ in range(2000)]), minlength=16) / 2000
    np.testing.assert_allclose(seen, 0.5, atol=0.05)  # six standard deviations are 0.067


def test_the_learner_sees_the_sample_and_transforms_everything(wine):
    X, y = wine
    model = OnSample(NCA(), 60, random_state=1)
    assert clone(model).get_params()["learner__init"] == NCA().init
    Z = model.fit(X, y).transform(X)
    assert len(model.sample_) == 60
    np.testing.assert_allclose(Z, NCA().fit(X[model.sample_], y[model.sample_]).transform(X))
    np.testing.assert_array_equal(model.sample_, clone(model).fit(X, y).sample_)


def test_as_large_as_the_half_is_no_sample(iris):
    job = BenchJob("iris", "nca", 0, 0)
    whole, same = evaluated(job, iris), evaluated(job, iris, most_samples=75)
    assert (same.errors, same.honest_k, same.parameters) == (whole.errors, whole.honest_k, {})


def test_the_whole_half_is_scaled_and_votes(wine):
    X, y = wine
    model, parameters = protocol.fit(BenchJob("wine", "pca", 0, 0), X, y, seed=3, most_samples=30)
    assert parameters == {"most_patterns": 30}
    assert len(model.training_set_) == len(X)
    metric = model.learner_["metric"]
    np.testing.assert_allclose(metric.learner_.components_, PCA().fit(X[metric.sample_]).components_)


def test_the_record_says_so_tuned_or_not(iris):
    assert evaluated(BenchJob("iris", "rca", 0, 0), iris, most_samples=40).parameters == {"most_patterns": 40}
    tuned = evaluated(BenchJob("iris", "rca", 0, 0, "tuned"), iris, most_samples=40).parameters
    assert set(tuned) == {"regularization", "most_patterns"}
    assert evaluated(BenchJob("iris", "rf", 0, 0), iris, most_samples=40).parameters == {}  # learns no metric


@pytest.mark.slow
def test_records_that_are_there_are_kept_and_counted(tmp_path):
    jobs = plan(["iris"], ["rca", "rf"], 1)
    assert run(jobs[:1], tmp_path).problems == []
    report = run(jobs, tmp_path, RunOptions(most_samples=40))
    assert (report.fitted, report.found) == (3, 1)
    assert report.problems == ["1 record of fits with another most_samples is kept."]
    parameters = [records.read(job.path(tmp_path)).parameters for job in jobs]
    assert parameters == [{}, {"most_patterns": 40}, {}, {}]
    assert "1 record of fits" in run(jobs, tmp_path).problems[0]
    with pytest.raises(ValueError, match="most_samples must be at least 2; got 1"):
        RunOptions(most_samples=1)


@pytest.mark.slow
def test_from_the_command_line(tmp_path):
    words = ["--datasets", "iris", "--methods", "rca", "--repeats", "1", "--most-samples", "40"]
    call = [sys.executable, "-m", "freemetric", "bench", "run", tmp_path, *words]
    assert "2 fitted, 0 found, 0 problems" in subprocess.run(call, capture_output=True, text=True).stdout
    assert records.read(BenchJob("iris", "rca", 0, 0).path(tmp_path)).parameters == {"most_patterns": 40}
