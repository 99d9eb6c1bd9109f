"""A measured run on other counts of GPUs, and on other GPUs."""
