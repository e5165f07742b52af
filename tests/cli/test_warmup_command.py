"""``freemetric warmup``: all kernels are compiled ahead."""

from pathlib import Path

ENTRIES = ("listed_neighbors.chances_of_all", "nearest.pick_others", "votes.add_shares", "element_trials.sweep")


def kept_in(folder):
    return {path.name.split("-")[0] for path in Path(folder).glob("*.nbi")}


def test_kernels_are_kept_where_it_says(freemetric):
    answer = freemetric("warmup", "--json")
    assert answer.code == 0
    assert kept_in(answer.json["folder"]) >= set(ENTRIES)
