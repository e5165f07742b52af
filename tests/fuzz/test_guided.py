"""What leads the fuzzer: which code is watched, which mutants are made, what libFuzzer's words mean."""

import io
import zipfile

from .by_coverage import last
from .guided import compiled_modules, mutator
from .targets import CORPUS

MODEL = (CORPUS / "one_hot.model").read_bytes()


def others(data, max_size):
    return b"libFuzzer's"


def test_all_is_watched_but_for_what_numba_reads():
    names = set(compiled_modules())
    assert {"freemetric.kernels", "freemetric.kernels.numba.nearest", "freemetric.kernels.numba.large_margin"} <= names
    assert not any(name.startswith(("freemetric.files", "freemetric.tabular", "freemetric.metrics")) for name in names)


def test_mutants_of_models_are_ours_and_others():
    mutate = mutator(".model", others)
    found = [mutate(MODEL, 100_000, seed) for seed in range(60)]
    assert found == [mutate(MODEL, 100_000, seed) for seed in range(60)]
    assert 5 < found.count(b"libFuzzer's") < 40
    sealed = [zipfile.is_zipfile(io.BytesIO(content)) for content in found]
    assert sum(sealed) > 15
    assert MODEL not in found


def test_what_is_no_model_any_more_is_damaged_further():
    mutate = mutator(".model", others)
    assert all(isinstance(mutate(b"PK no archive", 100, seed), bytes) for seed in range(20))


def test_no_mutant_is_longer_than_allowed():
    mutate = mutator(".csv", others)
    assert all(len(mutate(b"a,b\n1,2\n", 12, seed)) <= 12 for seed in range(100))


def test_the_last_of_what_was_said_counts():
    said = "#1 INITED cov: 12 ft: 3\n#9 DONE cov: 345 ft: 6\nstat::number_of_executed_units: 90\n"
    assert last(r"cov: (\d+)", said) == 345
    assert last(r"units: *(\d+)", said) == 90
    assert last(r"units: *(\d+)", "Traceback") is None
