"""GPUs and CPUs: what vendors specify, what was measured, and what follows from both."""
