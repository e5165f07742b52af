"""A comparison for people, and as JSON."""

from ..printable import printable
from ..tabular import Comparison
from .console import print_json, tell


def show_evaluation(found: Comparison, as_json: bool) -> None:
    """Scores, classes or intervals, the learning curve; ranks where there are files enough."""
    from ..bench.file_ranks import ranks_as_json  # loads the statistics

    if as_json:
        return print_json({**found.as_json(), **ranks_as_json(found)})
    print(found.table().markdown(), end="")
    (_show_intervals if found.is_of_numbers else _show_classes)(found)
    _show_curve(found)
    _show_ranks(found)


def _show_classes(found):
    """Of one file; several would hide their comparison."""
    best = found.best(found.files[0])
    if len(found.files) == 1 and best is not None:
        print(f"\n{found.class_table(found.files[0], best).markdown()}", end="")


def _show_intervals(found):
    print(f"\n{found.interval_table().markdown()}", end="")


def _show_curve(found):
    if not found.curves:
        return
    print(f"\n{found.curve_table().markdown()}", end="")
    for file, method in found.curves:
        answer = found.would_more_help(file, method)
        if answer:
            print(f"\n{printable(file)}, {method}: {answer}.")


def _show_ranks(found):
    """As far as the installed libraries can tell them."""
    from ..bench.file_ranks import has_ranks, rank_tables

    try:
        for table in rank_tables(found) if has_ranks(found) else ():
            print(f"\n{table.markdown()}", end="")
    except ImportError as missing:
        tell(f"note: no tests against {found.methods[0]}. {missing}")
