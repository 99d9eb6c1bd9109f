"""`roofcast evaluate` and `roofcast papers`."""
