"""Amounts that a kernel has on the source, carried over to the target."""
