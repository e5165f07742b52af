"""``freemetric demo``: a first look."""

from ..demo import main


def demo() -> None:
    """Learn metrics on wine and iris, and draw the space before and after."""
    main([])
