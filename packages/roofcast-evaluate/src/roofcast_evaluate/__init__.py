"""Data sets of measurements, the experiments on them, and how far forecasts are from what was measured."""
