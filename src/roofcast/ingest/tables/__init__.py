"""Kernel tables: one row per launch, in everybody's own spelling."""
