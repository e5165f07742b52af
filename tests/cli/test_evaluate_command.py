"""``freemetric evaluate`` from the shell's side; tests/tabular has its arithmetic."""

import pytest

WORDS = ["--target", "class", "--methods", "euclidean,rf", "--folds", "3", "--repeats", "1"]


def test_one_file(freemetric, home):
    answer = freemetric("evaluate", home / "people.csv", *WORDS)
    assert (answer.code, answer.lines) == (0, [])
    assert "Protocol honest: 1 x 3-fold stratified cross-validation, seed 0" in answer.out
    assert "| people.csv | rf |" in answer.out
    assert "Critical differences" not in answer.out
    said = freemetric("evaluate", home / "people.csv", *WORDS, "--json").json
    assert [row["method"] for row in said["results"]] == ["euclidean", "rf"]
    assert "ranks" not in said


def test_several_files_have_ranks(freemetric, home, people, tmp_path):
    people.drop(columns="town").to_csv(tmp_path / "fewer.csv", index=False)
    answer = freemetric("evaluate", home / "people.csv", tmp_path / "fewer.csv", *WORDS)
    assert answer.code == 0
    assert "Critical differences: Nemenyi" in answer.out
    assert "| **Rank** |" in answer.out
    said = freemetric("evaluate", home / "people.csv", tmp_path / "fewer.csv", *WORDS, "--json").json
    assert set(said) == {
        "protocol", "folds", "repeats", "seed", "parameters", "device", "limits", "results",
        "ranks", "critical_difference", "friedman_p",
    }  # fmt: skip
    assert said["ranks"].keys() == {"euclidean", "rf"}
    assert said["critical_difference"].keys() == {"nemenyi", "bonferroni-dunn"}
    assert said["friedman_p"] is None  # of two methods


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--methods", "euclidean,magic"], "Unknown method 'magic'"),
        (["--set", "lmnn.x=3"], "--set wants method.name=value"),
        (["--set", "rf.x=3"], "method 'rf': Invalid parameter 'x'"),
        (["--folds", "100"], "no class has the 100 rows"),
    ],
)
def test_wrong_options(freemetric, home, words, message):
    answer = freemetric("evaluate", home / "people.csv", *WORDS, *words)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.lines[-1]


def test_a_failing_method_is_told_and_the_others_shown(freemetric, home):
    words = [*WORDS, "--methods", "euclidean,pca", "--set", "pca.n_components=99"]
    answer = freemetric("evaluate", home / "people.csv", *words)
    assert answer.code == 1
    assert "| people.csv | pca | n/a |" in answer.out
    assert len(answer.lines) == 1
    assert answer.lines[0].startswith("people.csv, pca: ValueError: n_components=99 is larger")


def test_a_method_over_the_limit(freemetric, home):
    words = [*WORDS, "--methods", "free-energy,euclidean", "--set", "free-energy.n_replicas=1000000", "--limit", "2"]
    answer = freemetric("evaluate", home / "people.csv", *words)
    assert answer.code == 1
    assert "| people.csv | free-energy | over the limit |" in answer.out
    assert "| people.csv | euclidean | **" in answer.out
    assert answer.lines == ["people.csv, free-energy: stopped after 2 s, the limit of one fit"]


def test_a_file_twice(freemetric, home):
    assert freemetric("evaluate", home / "people.csv", home / "people.csv", *WORDS).lines == ["a file is named twice"]
