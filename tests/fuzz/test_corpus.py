"""The files of the fuzzer as they are, and a few hundred mutants of them; ``make fuzz`` tries many more."""

import pytest

from .targets import CORPUS, attempt, use


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_the_corpus_itself(path):
    use(path)


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_mutants(first, tmp_path):
    for seed in range(first, first + 50):
        attempt(seed, tmp_path / "current")
