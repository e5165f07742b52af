"""``freemetric demo``: a first look."""


def demo() -> None:
    """Learn metrics on wine and iris, and draw the space before and after."""
    from ..demo import main

    main([])
