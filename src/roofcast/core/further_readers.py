"""Readers of files that the package adds to those of ``ingest``, from rooms that stand below it."""

FURTHER_READERS: dict[str, tuple[str, str]] = {}
"""Format -> module that reads it, and its title. A distribution of its own adds itself the same way."""
