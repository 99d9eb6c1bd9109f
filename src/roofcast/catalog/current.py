"""The GPUs that a file is forecast for where nobody named one."""

from __future__ import annotations

from collections.abc import Iterable

CURRENT = ("H100 SXM5 80GB", "B200", "Instinct MI300X", "H200 SXM 141GB")
"""GPUs that one can rent today."""
SHOWN = 3
"""GPUs that a message names."""


def choose_current(measured: Iterable[object]) -> list[str]:
    """Three current GPUs, those first on which nothing was measured.

    measured : names of GPUs as files and users write them; empty and unknown ones do not count.

    >>> choose_current(["B200", None])
    ['H100 SXM5 80GB', 'Instinct MI300X', 'H200 SXM 141GB']
    """
    from roofcast.catalog import find
    from roofcast.core.errors import UnknownProcessorError

    there = set()
    for name in {str(g) for g in measured if g}:
        try:
            there.add(find(name).processor.name)
        except UnknownProcessorError:
            continue
    return sorted(CURRENT, key=there.__contains__)[:SHOWN]
