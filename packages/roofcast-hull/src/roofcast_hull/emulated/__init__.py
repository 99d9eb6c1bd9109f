"""Blocks of a CUDA kernel run on NumPy, all threads side by side: what a launch does, where loops do not say it."""
