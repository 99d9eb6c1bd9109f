"""Contracts that are known to be broken: cause -> cases. A mended case fails here until its line is deleted."""

KNOWN: dict[str, frozenset[str]] = {}
