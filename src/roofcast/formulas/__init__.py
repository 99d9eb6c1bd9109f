"""The papers' equations: pure functions on numbers and NumPy arrays. They import nothing of roofcast."""
