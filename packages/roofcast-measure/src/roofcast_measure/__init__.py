"""Measuring machines: micro-benchmarks and primitives. The only part that needs the hardware that it is about."""
