"""Which step of preparation said each amount of each kernel, beside those that the file said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from roofcast.core.columns import TEXT_COLUMNS, Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import Conditions, or_none
from roofcast.forecasting.conditions import check_conditions
from roofcast.forecasting.prepared import prepare
from roofcast.forecasting.preparing.step import Step

FILE = "the file"
"""Who says what no step changed."""


@dataclass(frozen=True, slots=True)
class Said:
    """One amount of one kernel, as a forecast takes it."""

    row: int
    amount: str
    value: float | str
    by: str
    """A step's name, or :data:`FILE`."""
    why: str
    """What that step does, or how the file has it: counted, derived, assumed."""
    before: float | str | None = None
    """What stood there; None where nothing did."""


def list_said(
    kernels: KernelTable, targets: Sequence[Processor] = (), source: str | Processor | None = None
) -> list[Said]:
    """Every amount of (n,) kernels that a forecast would take, kernel by kernel, and who said it.

    targets : GPUs whose code may differ; none are needed. Of an amount that several steps changed the last counts.
    """
    last: dict[tuple[int, str], tuple[Step, float | str | None]] = {}

    def watch(step: Step, before: KernelTable, after: KernelTable) -> None:
        for name, row, old in list_changed(before, after):
            last[row, name] = step, old

    ready = prepare(kernels, targets, source=source, conditions=check_conditions(Conditions()), watch=watch)
    table = ready.kernels
    statements = []
    for row in range(len(table)):
        for name in (*table.numeric, *(t for t in TEXT_COLUMNS if t in table.text and t not in NAMING)):
            value = value_of(table, name, row)
            if value is None:
                continue
            step, old = last.get((row, name), (None, None))
            by, why = (step.name, step.sentence) if step is not None else (FILE, describe_origin(table, name, row))
            statements.append(Said(row, name, value, by, why, old))
    return statements


NAMING = ("kernel", "kernel_mangled", "gpu", "config", "grid", "block")
"""Texts that say which kernel it is."""


def value_of(table: KernelTable, name: str, row: int) -> float | str | None:
    """A cell; None where it is empty."""
    if name in table.numeric:
        return or_none(table.numeric[name][row])
    return str(table.strings(name)[row]) or None


def describe_origin(table: KernelTable, name: str, row: int) -> str:
    """Say whether the file counted, derived or assumed it."""
    return Origin(int(table.origin_of(name)[row])).name.lower() if name in table.numeric else "recorded"


def list_changed(before: KernelTable, after: KernelTable) -> Iterator[tuple[str, int, float | str | None]]:
    """(column, row, old value) of each cell that differs."""
    for name, values in after.numeric.items():
        old = before.column(name)
        if old is values:
            continue
        for row in np.flatnonzero((values != old) & ~(np.isnan(values) & np.isnan(old))).tolist():
            yield name, row, value_of(before, name, row) if name in before.numeric else None
    for name, texts in after.text.items():
        known = before.strings(name)
        if known is not texts:
            for row in np.flatnonzero(known != texts).tolist():
                yield name, row, str(known[row]) or None
