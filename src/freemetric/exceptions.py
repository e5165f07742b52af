"""Warnings of this package, so that they can be told apart and silenced."""


class DataWarning(UserWarning):
    """Something in the data will make a learned metric worse or its error estimate too good."""


class InterruptedFitWarning(UserWarning):
    """A fit was stopped from the keyboard; the estimator holds the best state found so far."""
