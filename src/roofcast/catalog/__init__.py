"""GPUs and CPUs: what vendors specify, what was measured, and what follows from both.

``find`` resolves a name as profilers print it, ``parse_target`` whatever a user may write for a GPU.
"""

from __future__ import annotations

from pathlib import Path

from roofcast.catalog.finding import Match, find
from roofcast.catalog.library import entry, keys, names, processor
from roofcast.catalog.targets import parse_target, split_targets, vary
from roofcast.core.processor import Processor

__all__ = [
    "Match", "entry", "find", "gpu", "keys", "load_own", "names", "parse_target", "processor", "processors",
    "split_targets",
]  # fmt: skip


def processors() -> list[Processor]:
    """Every shipped entry, derived, in the order of the keys."""
    return [processor(key) for key in keys()]


def load_own(path: str) -> Match:
    """The processor that a user's TOML file describes.

    Raises
    ------
    InputError, CatalogEntryError : an unreadable file; bad or missing fields, all of them in one message.
    """
    from roofcast.catalog.own import load_own as load

    return load(Path(path))


def gpu(text: str, **changes: str | float) -> Processor:
    """The processor that a target text stands for: a name, a TOML file, or a variation in braces.

    changes : as in the braces, e.g. ``dram="4.8TB/s"``.

    >>> gpu("NVIDIA H100 80GB HBM3").sm_count
    132
    >>> gpu("H100", dram="4.8TB/s").rate("bytes_dram") == gpu("H100{dram=4.8TB/s}").rate("bytes_dram")
    True

    Raises
    ------
    UnknownProcessorError, CatalogEntryError : see :func:`parse_target`.
    """
    base = parse_target(text).processor
    return vary(base, changes) if changes else base
