"""What a kernel's amounts become on the targets: other machine code does other work there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource

BYTES_PER_LOCAL_PASS = 128.0
"""A warp's access to local memory is coalesced by construction: 4 bytes for each of 32 lanes in one pass."""


@dataclass(frozen=True)
class AmountChanges:
    """Changes of n kernels on m targets; what is not named stays as it is on the source."""

    ratios: Mapping[str, FloatArray] = field(default_factory=dict)
    """Amount -> (n, m) work on the target over work on the source."""
    bytes_local_added: FloatArray | None = None
    """(n, m) B through L1 that spills add on the target; negative where they save."""
    regs_per_thread: FloatArray | None = None
    """(n, m) registers of the target's code; NaN where they are the source's."""

    def part(self, rows: slice | NDArray[np.intp]) -> AmountChanges:
        """Some kernels, on all targets."""
        return AmountChanges(
            {name: ratio[rows] for name, ratio in self.ratios.items()},
            None if self.bytes_local_added is None else self.bytes_local_added[rows],
            None if self.regs_per_thread is None else self.regs_per_thread[rows],
        )

    def of_pairs(self, rows: NDArray[np.intp], targets: NDArray[np.intp]) -> AmountChanges:
        """(p, 1) each row on one target. rows, targets : (p,) positions."""

        def pick(values: FloatArray | None) -> FloatArray | None:
            return None if values is None else values[rows, targets][:, None]

        ratios = {name: ratio[rows, targets][:, None] for name, ratio in self.ratios.items()}
        return AmountChanges(ratios, pick(self.bytes_local_added), pick(self.regs_per_thread))

    def columns(self, targets: list[int]) -> AmountChanges:
        """All kernels, on some targets."""
        return AmountChanges(
            {name: ratio[:, targets] for name, ratio in self.ratios.items()},
            None if self.bytes_local_added is None else self.bytes_local_added[:, targets],
            None if self.regs_per_thread is None else self.regs_per_thread[:, targets],
        )

    def is_none(self) -> NDArray[np.bool_]:
        """Cells, broadcastable to (n, m), in which nothing changes."""
        unchanged = np.ones((1, 1), np.bool_)
        for ratio in self.ratios.values():
            unchanged = unchanged & (ratio == 1.0)
        if self.bytes_local_added is not None:
            unchanged = unchanged & (self.bytes_local_added == 0.0)
        return unchanged if self.regs_per_thread is None else unchanged & np.isnan(self.regs_per_thread)

    def on_target(self, resource: Resource, amount: FloatArray) -> FloatArray:
        """Amount on the targets: (n, m), or the source's where nothing changes it. amount : (n, 1) on the source."""
        ratio = self.ratios.get(resource.value)
        there = amount if ratio is None else amount * ratio
        if self.bytes_local_added is None:
            return there
        if resource in (Resource.BYTES_L1, Resource.INSTS_LSU):
            unit = 1.0 if resource is Resource.BYTES_L1 else BYTES_PER_LOCAL_PASS
            return np.asarray(np.maximum(there + self.bytes_local_added / unit, 0.0))
        return there

    def factor(self, resource: Resource, amount: FloatArray) -> FloatArray | None:
        """(n, m) amount on the targets over ``amount`` on the source (n, 1), 1 where that is 0; None: no change."""
        there = self.on_target(resource, amount)
        if there is amount:
            return None
        with quietly():
            return np.where(amount > 0, there / amount, 1.0)

    def registers(self, measured: FloatArray) -> FloatArray:
        """Registers per thread on the targets. measured : (n, 1) on the source."""
        if self.regs_per_thread is None:
            return measured
        return np.where(np.isnan(self.regs_per_thread), measured, self.regs_per_thread)
