"""Warnings and errors of this package, as classes to filter and to catch."""


class DataWarning(UserWarning):
    """Something in the data will make a learned metric worse or its error estimate too good."""


class InterruptedFitWarning(UserWarning):
    """A fit was stopped from the keyboard; the estimator holds the best state found so far."""


class VersionWarning(UserWarning):
    """A model file holds scikit-learn objects of another release than the one in use."""


class ModelFileError(ValueError):
    """A model file cannot be written or read; the message is one line that names the file and what is wrong."""
