"""`roofcast hull`."""
