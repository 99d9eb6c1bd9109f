"""The code embedded in profiles, on the way to a forecast: whose rows it belongs to, and what a reader is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roofcast.core.changes import AmountChanges
from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.kit.disk_cache import key_of_file

if TYPE_CHECKING:
    from roofcast.sass.launch_facts import LaunchFacts

REPORT_FORMAT = "ncu-rep"


@dataclass(frozen=True)
class EmbeddedCode:
    """What embedded code makes of n kernels on m targets."""

    kernels: KernelTable
    changes: AmountChanges | None
    notes: tuple[tuple[str, ...], ...]
    """Per kernel: what was corrected on the source."""
    cell_notes: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """Per kernel and target: what the target's code changes; empty where there is nothing to say."""


def leave_unused(kernels: KernelTable) -> EmbeddedCode:
    """Kernels without code, or whose code is not to be used."""
    return EmbeddedCode(kernels, None, ((),) * len(kernels))


def check_mode(sass: str, target_sass: str | Path | None) -> bool:
    """Whether embedded code is used."""
    if sass not in ("auto", "off"):
        raise RoofcastError(f"sass {one_line(str(sass), 40)!r}: use auto or off")
    if sass == "off" and target_sass is not None:
        raise RoofcastError("a binary for the target was given, and SASS switched off: drop one of the two")
    return sass == "auto"


def use_embedded_code(
    kernels: KernelTable, targets: Sequence[Processor], *, sass: str = "auto", target_sass: str | Path | None = None
) -> EmbeddedCode:
    """The kernels with what their machine code tells.

    sass : auto uses the code of every report in the table, off none. target_sass : a binary for the targets.
    """
    if not check_mode(sass, target_sass):
        return leave_unused(kernels)
    reports = rows_of_reports(kernels)
    if not reports:
        if target_sass is not None:
            raise InputError("--target-sass: the input holds no code to compare with; it takes .ncu-rep files")
        return leave_unused(kernels)
    from roofcast.sass.sass_amounts import apply_facts, launch_facts, read_given, sm_of

    given = read_given(target_sass) if target_sass is not None else None
    sms = sorted({sm for sm in map(sm_of, targets) if sm is not None})
    facts: dict[int, LaunchFacts] = {}
    notes: list[tuple[str, ...]] = [()] * len(kernels)
    names = kernels.strings("kernel_mangled")
    for source, rows in reports:
        launches = {row: int(kernels.column("launch")[row]) for row in rows}
        try:
            by_launch = launch_facts(source.path, list(launches.values()), sms, given, key_of_file(source.path))
        except InputError as error:  # moved or changed since it was read
            notes = [(f"SASS: not used: {error}",) if i in launches else note for i, note in enumerate(notes)]
            continue
        facts |= {row: by_launch[i] for row, i in launches.items() if by_launch[i].kernel == str(names[row])}
    amounts = apply_facts(kernels, facts, targets)
    if given is not None:
        refuse_unused(facts, given.name)
    reasons = tuple(a + b for a, b in zip(notes, amounts.notes, strict=True))
    cells = amounts.target_notes if any(any(row) for row in amounts.target_notes) else ()
    return EmbeddedCode(amounts.kernels, amounts.changes, reasons, cells)


def rows_of_reports(kernels: KernelTable) -> list[tuple[Provenance, list[int]]]:
    """Each report of a table that can be opened again, with its rows.

    Rows name their file; equally named files are numbered as reading numbers them.
    """
    launch, files = kernels.column("launch"), kernels.strings("source_file")
    seen: Counter[str] = Counter()
    reports = []
    for source in kernels.provenance:
        seen[source.file] += 1
        if source.format != REPORT_FORMAT or not source.path:
            continue
        name = source.file if seen[source.file] == 1 else f"{source.file} ({seen[source.file]})"
        rows = np.flatnonzero((files == name) & ~np.isnan(launch)).tolist()
        if rows:
            reports.append((source, rows))
    return reports


def refuse_unused(facts: Mapping[int, LaunchFacts], name: str) -> None:
    """Say why a binary that the user gave serves for nothing."""
    there = [e for f in facts.values() for e in f.elsewhere.values()]
    reasons = [e.unknown for e in there]
    if not there:
        raise InputError(f"{one_line(name)}: no target runs NVIDIA code, or the input holds none to compare with")
    if all(reasons):
        reason = Counter(reasons).most_common(1)[0][0]
        raise InputError(reason if one_line(name) in reason else f"{one_line(name)}: {reason}")
