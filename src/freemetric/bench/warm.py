"""What tables need, and the protocol: imported once by the server that forks the fits of a benchmark."""

from ..tabular import warm
from . import protocol

__all__ = ["protocol", "warm"]
