"""Where a launch's warps were sampled and what they executed there: by source line, else by special function.

Nsight Compute samples the program counters of warps and says what each waited for (section SourceCounters); Yang (2020)
reads these samples beside the source to see what an optimisation removed (Figures 2, 4 and 7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roofcast.core.records import dataclass
from roofcast.sass.blocks import build_graph
from roofcast.sass.cubin import Cubin, Function
from roofcast.sass.executions import Executions, executions_of, open_report, parse_modules, place_addresses
from roofcast.sass.special_functions import find_fast_paths, operation_of_subroutine

PREFIX, NOT_ISSUED = "smsp__pcsamp_warps_issue_stalled_", "_not_issued"
REST = "rest of the code"
Samples = dict[str, dict[int, float]]
"""Stall reason -> address -> samples."""


@dataclass(frozen=True, slots=True)
class Place:
    """One part of a kernel's code."""

    where: str
    """``step.cu:42``, or ``div.f64`` where no lines are recorded."""
    samples: float
    """Warps sampled there."""
    insts_executed: float
    """Warp instructions executed there; NaN where not counted."""
    stall: str
    """What most of the sampled warps waited for; '' where nothing was sampled."""


def hot_places(path: str | Path, launches: Collection[int]) -> dict[int, tuple[Place, ...]]:
    """Launch -> its places, most samples first; launches without samples or code are left out.

    launches : numbers of launches in the report.
    """
    samples = read_samples(path, launches)
    if not samples:
        return {}
    report = open_report(path, frozenset(samples))
    cubins = parse_modules(report, {report.launches[i].module for i in samples if i < len(report.launches)})
    names: dict[tuple[int, str], NDArray[np.object_]] = {}
    places = {}
    for index, by_reason in samples.items():
        launch = report.launches[index] if index < len(report.launches) else None
        cubin = cubins[launch.module] if launch is not None and launch.module >= 0 else None
        if launch is None or cubin is None:
            continue
        executions = executions_of(launch, cubin, report.modules[launch.module])
        spread = spread_samples(by_reason, cubin, launch.mangled, report.modules[launch.module].loaded_at)
        for function in {*spread, *(executions.warps if executions else ())}:
            key = launch.module, function
            if key not in names:
                names[key] = name_places(cubin, function)
        names_of_module = {
            function: names[launch.module, function] for module, function in names if module == launch.module
        }
        places[index] = rank_places(spread, executions, names_of_module)
    return places


def read_samples(path: str | Path, launches: Collection[int]) -> dict[int, Samples]:
    """Launch -> its samples, for launches that have any."""
    from roofcast.ingest.ncu.report import instances_of, walk_blocks
    from roofcast.reading import opened

    by_launch: dict[int, Samples] = {}
    number = -1
    with opened(path) as stream:
        for block in walk_blocks(stream):
            reasons = {i: t.decode() for i, t in enumerate(block.strings) if is_samples(t)}
            for result in block.results:
                number += 1
                if number not in launches:
                    continue
                every = {
                    reasons[m.name].removeprefix(PREFIX): pick_samples(instances_of(m))
                    for m in result.metric
                    if m.name in reasons and len(m.instance)
                }
                if any(every.values()):
                    by_launch[number] = every
    return by_launch


def is_samples(text: bytes) -> bool:
    """Whether a metric's name is one of samples by reason."""
    return text.startswith(PREFIX.encode()) and not text.endswith(NOT_ISSUED.encode())


def pick_samples(pairs: Iterable[tuple[object, object]]) -> dict[int, float]:
    """Address -> samples."""
    return {
        int(k): float(v)
        for k, v in pairs
        if isinstance(k, float) and isinstance(v, float) and 0 <= k < 2.0**63 and 0 < v < 1e15
    }


def spread_samples(
    samples: Samples, cubin: Cubin, kernel: str, loaded_at: Mapping[str, int]
) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Function -> reason -> (instructions,) samples; addresses without an instruction are left out."""
    addresses = np.array(sorted({a for by in samples.values() for a in by}), np.uint64)
    placement = place_addresses(addresses, cubin, kernel, loaded_at)
    result: dict[str, dict[str, NDArray[np.float64]]] = {}
    for index in np.unique(placement.function[placement.function >= 0]):
        function = cubin.functions[index]
        rows = np.flatnonzero((placement.function == index) & (placement.instruction < function.instruction_count))
        for reason, by in samples.items():
            column = np.zeros(function.instruction_count)
            column[placement.instruction[rows]] = [by.get(int(a), 0.0) for a in addresses[rows]]
            result.setdefault(function.name, {})[reason] = column
    return result


def name_places(cubin: Cubin, name: str) -> NDArray[np.object_]:
    """(instructions,) the place of each instruction of a function."""
    function = cubin.function(name)
    if function is None:
        return np.zeros(0, np.object_)
    count = function.instruction_count
    names = np.full(count, REST, dtype=np.object_)
    lines = cubin.source_lines(name)
    if lines is not None and (lines.line > 0).any():
        for i in range(min(count, len(lines.line))):
            names[i] = lines.at(i, i + 1) or REST
        return names
    for number, operation in find_special_blocks(function, cubin.sm).items():
        names[number[0] : number[1]] = operation
    return names


def find_special_blocks(function: Function, sm: int) -> dict[tuple[int, int], str]:
    """(first, end) of instructions -> special function that they compute."""
    graph = build_graph(function, sm)
    operations = {(graph.blocks[n].first, graph.blocks[n].end): o for n, o in find_fast_paths(graph).items()}
    for block in graph.blocks:
        operation = operation_of_subroutine(block.part)
        if operation:
            operations[block.first, block.end] = f"{operation} (slow path)"
    return operations


def rank_places(
    samples: Mapping[str, Mapping[str, NDArray[np.float64]]],
    executions: Executions | None,
    names: Mapping[str, NDArray[np.object_]],
) -> tuple[Place, ...]:
    """Places with their samples and executions, most samples first."""
    by_place: dict[str, dict[str, float]] = {}
    executed: dict[str, float] = {}
    for function, places in names.items():
        for reason, column in samples.get(function, {}).items():
            for i in np.flatnonzero(column[: len(places)]):
                reasons = by_place.setdefault(str(places[i]), {})
                reasons[reason] = reasons.get(reason, 0.0) + float(column[i])
        if executions is not None and function in executions.warps:
            column = np.nan_to_num(executions.warps[function])
            for i in np.flatnonzero(column[: len(places)]):
                executed[str(places[i])] = executed.get(str(places[i]), 0.0) + float(column[i])
    nothing = np.nan if executions is None else 0.0
    ranked = []
    for where in {**by_place, **executed}:
        reasons = by_place.get(where, {})
        stall = max(reasons, key=lambda r: reasons[r]) if reasons else ""
        ranked.append(Place(where, sum(reasons.values()), executed.get(where, nothing), stall))
    return tuple(sorted(ranked, key=lambda p: (-p.samples, -np.nan_to_num(p.insts_executed), p.where)))
