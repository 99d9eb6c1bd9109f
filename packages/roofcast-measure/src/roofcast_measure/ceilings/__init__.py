"""Micro-benchmarks: what the GPU or CPU of this machine can do, as an entry of the catalog."""
