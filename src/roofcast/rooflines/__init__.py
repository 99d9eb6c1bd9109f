"""Hierarchical rooflines: kernels under their own ceilings, and their way from version to version."""
