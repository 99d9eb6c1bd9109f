"""roofcast: how long a GPU kernel will take on a GPU that you do not have."""
