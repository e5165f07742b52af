"""The errors that metric-learn has classes for."""

from numpy.linalg import LinAlgError


class PreprocessorError(Exception):
    """A preprocessor could not turn indicators into points."""

    def __init__(self, original_error: Exception) -> None:
        super().__init__(f"An error occurred when trying to use the preprocessor: {original_error!r}")


class NonPSDError(LinAlgError):
    """A matrix has negative eigenvalues."""

    def __init__(self) -> None:
        super().__init__("Matrix is not positive semidefinite (PSD).")
