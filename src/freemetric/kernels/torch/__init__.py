"""Kernels for GPUs, in torch and triton."""
