"""What every prediction model is."""

from __future__ import annotations

from typing import Protocol

from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import Machines
from roofcast.core.results import Conditions, Estimate


class Model(Protocol):
    """A prediction model: pure, vectorised over kernels (rows) and targets (columns)."""

    name: str
    summary: str
    is_physics: bool
    """Physics models forecast the source onto itself exactly and never get slower when a supply grows."""
    is_published: bool
    """Whether it is kept as others published it."""

    def estimate(
        self, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Estimate:  # fmt: skip
        """Forecast n kernels on m targets.

        kernels : n launches with their amounts.
        sources : index (n,), clocks (n,): where each launch was measured. Index -1: unknown.
        targets : index (1, m), clocks (n, m): where each is to run.
        changes : (n, m) how the amounts differ on the targets; the seconds per resource of the targets include it.
        """
        ...
