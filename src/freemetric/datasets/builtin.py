"""Data sets that need no file: they are computed, or scikit-learn has them."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product

from .registry import info
from .table import TextColumns, as_text

Row = tuple  # features as they are, and the class

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def balance() -> Iterator[Row]:
    """Every scale with weights and distances 1 to 5, and the side it tips to."""
    for scale in product(range(1, 6), repeat=4):
        torque = scale[0] * scale[1] - scale[2] * scale[3]
        yield *scale, "BLR"[(torque > 0) - (torque < 0)]


def tic_tac_toe() -> list[Row]:
    """Every board on which a game can end, x having moved first; positive: x has won."""
    won, lost, drawn = [], [], []
    for board in product("xob", repeat=9):
        lead = board.count("x") - board.count("o")
        x_wins, o_wins = (any(all(board[s] == player for s in line) for line in LINES) for player in "xo")
        # the winner moved last, so x leads by one when it won and by none when it lost; a draw fills the board
        if x_wins and not o_wins and lead == 1:
            won.append((*board, "positive"))
        elif o_wins and not x_wins and lead == 0:
            lost.append((*board, "negative"))
        elif not x_wins and not o_wins and lead == 1 and "b" not in board:
            drawn.append((*board, "negative"))
    return won + lost + drawn


def iris() -> list[Row]:
    """Anderson's irises as UCI has them."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    # scikit-learn corrected these rows after Fisher's article; the paper and the other packages use UCI's
    X[34] = X[37] = [4.9, 3.1, 1.5, 0.1]
    return _records("iris", X, y)


def wine() -> list[Row]:
    """Forina's wines; scikit-learn's copy is UCI's."""
    from sklearn.datasets import load_wine

    return _records("wine", *load_wine(return_X_y=True))


def _records(name, X, y):
    labels = sorted(info(name).class_counts)
    return [(*row, labels[number]) for row, number in zip(X.tolist(), y, strict=True)]


BUILTIN: dict[str, Callable[[], Iterable[Row]]] = {
    "balance": balance,
    "iris": iris,
    "tic-tac-toe": tic_tac_toe,
    "wine": wine,
}


def builtin_table(name: str) -> TextColumns:
    """The table of a set that needs no file."""
    rows = [tuple(as_text(field) for field in row) for row in BUILTIN[name]()]
    return TextColumns.from_rows(f"built-in {name}", [*(info(name).main.columns or ()), "class"], rows)
