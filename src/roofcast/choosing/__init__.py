"""Which GPU to buy or rent for a workload, how sure that is, and what would change it."""
