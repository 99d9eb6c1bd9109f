"""Contracts that are known to be broken: pattern of test names -> cause. Who mends one deletes its line."""

KNOWN: dict[str, str] = {}
