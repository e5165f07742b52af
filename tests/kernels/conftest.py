"""Fixtures of the tests of kernels."""

import os

import pytest


@pytest.fixture
def device():
    """Where kernels in triton run: on a CUDA GPU, or on the CPU by triton's interpreter."""
    torch = pytest.importorskip("torch", reason="the GPU kernels need torch")
    pytest.importorskip("triton", reason="the kernels are written in triton")
    if torch.cuda.is_available():
        return "cuda"
    if os.environ.get("TRITON_INTERPRET") != "1":
        pytest.skip("needs a CUDA GPU, or TRITON_INTERPRET=1")
    return "cpu"
