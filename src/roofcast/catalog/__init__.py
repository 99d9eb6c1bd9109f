"""GPUs and CPUs: what vendors specify, what was measured, and what follows from both.

``find`` resolves a name as profilers print it, ``parse_target`` whatever a user may write for a GPU.
"""

from __future__ import annotations

from roofcast.catalog.finding import Match, find
from roofcast.catalog.library import entry, keys, names
from roofcast.catalog.targets import parse_target, split_targets
from roofcast.core.processor import Processor

__all__ = ["Match", "entry", "find", "gpu", "keys", "names", "parse_target", "split_targets"]


def gpu(text: str) -> Processor:
    """The processor that a target text stands for: a name, a TOML file, or a variation in braces.

    >>> gpu("NVIDIA H100 80GB HBM3").sm_count
    132

    Raises
    ------
    UnknownProcessorError, CatalogEntryError : see :func:`parse_target`.
    """
    return parse_target(text).processor
