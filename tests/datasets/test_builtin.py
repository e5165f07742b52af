"""Sets that need no file against the files."""

import hashlib

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from freemetric.datasets import info, load
from freemetric.datasets.store import BUILTIN, builtin_table
from freemetric.datasets.table import as_csv, read_table


@pytest.mark.parametrize("name", BUILTIN)
def test_equals_the_file(name, shared):
    table, _ = read_table(shared / f"{name}.csv")
    made = builtin_table(name)
    assert set(made.rows) == set(table.rows)
    assert list(made.rows) == list(table.rows)
    for encoding in "paper", "plain":
        ours, theirs = load(name, encoding=encoding), load(name, shared, encoding=encoding)
        np.testing.assert_array_equal(ours.X, theirs.X)
        np.testing.assert_array_equal(ours.y, theirs.y)
        assert (ours.feature_names, ours.classes) == (theirs.feature_names, theirs.classes)


@pytest.mark.parametrize("name", BUILTIN)
def test_text_has_the_registrys_sha256(name):
    assert hashlib.sha256(as_csv(builtin_table(name))).hexdigest() == info(name).main.sha256


def test_balance_tips_to_the_larger_torque():
    data = load("balance")
    torque = data.X[:, 0] * data.X[:, 1] - data.X[:, 2] * data.X[:, 3]
    sides = np.array(["R", "B", "L"])[np.sign(torque).astype(int) + 1]
    assert [data.classes[number] for number in data.y] == sides.tolist()


def test_tic_tac_toe_by_playing_every_game():
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    ends, seen = {}, set()

    def play(board, player):
        if board in seen:
            return
        seen.add(board)
        other = "o" if player == "x" else "x"
        won = any(all(board[s] == other for s in line) for line in lines)
        if won or "b" not in board:
            ends[tuple(board)] = "positive" if won and other == "x" else "negative"
            return
        for square, mark in enumerate(board):
            if mark == "b":
                play(board[:square] + player + board[square + 1 :], other)

    play("b" * 9, "x")
    table = builtin_table("tic-tac-toe")
    assert {row[:-1]: row[-1] for row in table.rows} == ends


def test_iris_differs_from_scikit_learns_in_two_rows_and_wine_in_none():
    differs = np.flatnonzero((load_iris().data != load("iris").X).any(axis=1))
    assert differs.tolist() == [34, 37]
    np.testing.assert_array_equal(load("wine").X, load_wine().data)
    np.testing.assert_array_equal(load("wine").y, load_wine().target)
