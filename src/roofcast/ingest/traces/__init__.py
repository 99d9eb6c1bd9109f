"""Timelines: Nsight Systems, PyTorch, rocprof; windows of long runs."""
