"""What a step of preparation is: a name, a reason, what it reads and says, and what it does to the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import Conditions
from roofcast.forecasting.several_sources import SameWork

Notes = tuple[tuple[str, ...], ...]


@dataclass
class Preparing:
    """n kernels on their way to a model; a step changes it."""

    kernels: KernelTable
    processors: tuple[Processor, ...]
    index: NDArray[np.intp]
    """(n,) position in ``processors`` of the GPU of each; -1 where it is unknown."""
    targets: Sequence[Processor]
    conditions: Conditions
    sass: str = "auto"
    target_sass: str | Path | None = None
    together: bool = False
    alone: bool = False
    known: KernelTable | None = None
    """Before caches that nobody recorded were taken as asked for."""
    groups: SameWork = field(init=False)
    changes: AmountChanges | None = None
    """(n, m) what the targets' own code changes."""
    code_notes: Notes = ()
    cell_notes: tuple[Notes, ...] = ()
    remarks: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    """What is to be said of (n,) kernels, as an assumption that their forecast rests on."""

    def __post_init__(self) -> None:
        self.groups = SameWork((), np.zeros(len(self.kernels), np.bool_))

    def remark(self, text: str, rows: NDArray[np.bool_]) -> None:
        """Say something of some kernels."""
        self.remarks[text] = rows


@dataclass(frozen=True)
class Step:
    """One of them."""

    name: str
    """What ``evaluate --without`` calls it."""
    sentence: str
    """What it does."""
    reason: str
    """Why it stands where it does."""
    reads: str
    writes: tuple[str, ...]
    """Columns that it may change, or patterns of their names; ``()`` of one that flags kernels instead."""
    source: str
    """Where its facts come from."""
    run: Callable[[Preparing], None]
