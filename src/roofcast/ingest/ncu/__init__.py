"""Nsight Compute: reports, CSV and console text."""
