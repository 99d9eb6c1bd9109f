"""What a reader of the report must know: notes, assumptions, and where every number comes from."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from roofcast.analyses.report.sass_notes import code_notes
from roofcast.core.columns import Origin
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Kind, Processor
from roofcast.core.resource import Resource
from roofcast.core.results import Forecast
from roofcast.core.units import format_quantity
from roofcast.forecasting.forecast import LEFT_ASIDE
from roofcast.kit.names import clipped, table_names
from roofcast.kit.page import file_row
from roofcast.kit.quantities import Rates, format_rates

MAX_NOTES = 60
NAMED = 3
CLOCK_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Note:
    """One statement and what it holds for."""

    text: str
    scope: str


@dataclass(frozen=True, slots=True)
class SupplyRow:
    """One ceiling of a GPU that this forecast rests on."""

    label: str
    rate: str
    kind: str
    uncertainty: str
    source: str
    doubtful: bool


@dataclass(frozen=True, slots=True)
class ProcessorFacts:
    """One GPU of the forecast."""

    name: str
    key: str
    role: str
    facts: tuple[tuple[str, str], ...]
    supplies: tuple[SupplyRow, ...]
    notes: tuple[str, ...]


def texts_of(forecast: Forecast, i: int) -> list[str]:
    """Reasons, notes and assumptions of one kernel."""
    estimate = forecast.estimate
    texts = [str(r) for r in estimate.reasons[i] if r]
    texts += forecast.kernel_notes[i] if forecast.kernel_notes else ()
    texts += estimate.notes[i] if estimate.notes else ()
    texts += [f"assumed: {a}" for a in estimate.assumed[i]] if estimate.assumed else []
    return [one_line(t, 300) for t in dict.fromkeys(texts)]


def notes_of(forecast: Forecast) -> list[Note]:
    """Notes of targets, files and kernels, each once, with the kernels that it holds for."""
    found = [Note(t, s) for t, s in dict.fromkeys(general_texts(forecast))]
    holders: dict[str, list[int]] = {}
    for i in range(len(forecast.kernels)):
        for text in texts_of(forecast, i):
            holders.setdefault(text, []).append(i)
    names = table_names(forecast.kernels) if holders else []
    ranked = sorted(holders.items(), key=lambda item: -len(item[1]))
    found += [Note(text, scope(rows, names)) for text, rows in ranked[:MAX_NOTES]]
    if len(ranked) > MAX_NOTES:
        found.append(Note(f"{len(ranked) - MAX_NOTES} more notes", "--format json holds all of them"))
    return found


def general_texts(forecast: Forecast) -> Iterator[tuple[str, str]]:
    """Notes of targets and files, with what each holds for."""
    target_notes = forecast.target_notes or ((),) * len(forecast.targets)
    for j, (target, notes) in enumerate(zip(forecast.targets, target_notes, strict=True)):
        for text in (*notes, *(code_notes(forecast, j) if forecast.cell_notes else ())):
            yield one_line(text, 300), one_line(target.name, 120)
    for origin in forecast.kernels.provenance:
        for text in origin.notes:
            yield one_line(text, 300), one_line(origin.file, 120)


def scope(rows: list[int], names: list[str]) -> str:
    """Which kernels a note holds for."""
    if len(rows) == len(names):
        return "every kernel" if len(names) > 1 else "the kernel"
    listed = ", ".join(clipped(names[i], 40) for i in rows[:NAMED])
    return listed if len(rows) <= NAMED else f"{len(rows)} kernels: {listed}, …"


def origin_rows(kernels: KernelTable) -> list[tuple[str, str]]:
    """Which columns were counted, derived and assumed, and for how many kernels where not for all."""
    groups: dict[Origin, list[str]] = {Origin.COUNTED: [], Origin.DERIVED: [], Origin.ASSUMED: []}
    n = len(kernels)
    for name in kernels.numeric:
        codes = kernels.origin_of(name)
        for origin, columns in groups.items():
            count = int(np.count_nonzero(codes == origin))
            if count and name != "launch":
                columns.append(name if count == n else f"{name} ({count} of {n})")
    return [(origin.name.lower(), ", ".join(columns)) for origin, columns in groups.items() if columns]


def model_rows(forecast: Forecast) -> list[tuple[str, str]]:
    """Version, model and conditions."""
    conditions = forecast.conditions
    floor = conditions.launch_floor_s
    clock = conditions.clock if isinstance(conditions.clock, str) else format_quantity(conditions.clock, "Hz")
    claim = forecast.estimate.coverage
    rows = [
        ("roofcast", forecast.provenance.get("roofcast", "")),
        ("model", forecast.model),
        ("coverage asked for", f"{100 * conditions.coverage:g} %"),
        ("coverage claimed", f"{100 * claim:g} %" if claim else "none"),
        ("clock of the target run", clock),
        ("caches of the target run", conditions.cache),
    ]
    if floor:
        rows.append(("empty launch, source and target", " and ".join(format_quantity(f, "s") for f in floor)))
    known = {"roofcast", "model"}
    extra = [(k, v) for k, v in forecast.provenance.items() if k not in known and not k.startswith("input ")]
    return [(one_line(k, 80), one_line(v, 300)) for k, v in [*rows, *extra] if v]


def file_rows(kernels: KernelTable) -> list[tuple[str, str, str, str]]:
    """What is known of every input file."""
    return [file_row(p) for p in kernels.provenance]


def command_line(forecast: Forecast, rates: Rates | None = None, pattern: str = "") -> str:
    """The command that makes this forecast again; files by name only, so that no folder or host is told.

    pattern : regular expression that chose the kernels.
    """
    conditions = forecast.conditions
    words = ["roofcast", "forecast"]
    words += [p.file.replace("\\", "/").rpartition("/")[2] or "-" for p in forecast.kernels.provenance] or ["FILE"]
    words += ["--to", ",".join(t.name for t in forecast.targets)]
    sources = list(dict.fromkeys(s.name for s in forecast.sources if s))
    if len(sources) == 1 and not any(str(g) for g in forecast.kernels.strings("gpu")):
        words += ["--from", sources[0]]
    words += ["--model", forecast.model, "--coverage", f"{conditions.coverage:g}"]
    if conditions.clock != "auto":
        words += ["--clock", f"{conditions.clock:g}" if isinstance(conditions.clock, float) else str(conditions.clock)]
    if conditions.cache != "auto":
        words += ["--cache", conditions.cache]
    if conditions.launch_floor_s:
        words += ["--launch-floor", ",".join(f"{f:g}" for f in conditions.launch_floor_s)]
    if forecast.provenance.get("machine code") == LEFT_ASIDE:
        words.append("--no-sass")
    for option, fact in (("--target-sass", "code of the target"), ("--size", "problem size")):
        if fact in forecast.provenance:
            words += [option, forecast.provenance[fact]]
    if pattern:
        words += ["--kernel", pattern]
    if rates:
        words += ["--price", format_rates(rates)]
    return shlex.join(one_line(w, 300) for w in words)


def processors_of(forecast: Forecast) -> list[ProcessorFacts]:
    """Every GPU of the forecast, with the ceilings that it rests on and their sources."""
    estimate = forecast.estimate
    used = [r for r in Resource if any(
        np.nanmax(np.append(v[r], 0.0)) > 0
        for v in (estimate.time_s_by_resource_source, estimate.time_s_by_resource_target) if r in v
    )]  # fmt: skip
    roles: dict[str, tuple[Processor, str]] = {s.name: (s, "source") for s in forecast.sources if s}
    for target in forecast.targets:
        known = roles.get(target.name)
        roles[target.name] = (target, "source and target" if known else "target")
    return [processor_facts(p, role, used) for p, role in roles.values()]


def processor_facts(processor: Processor, role: str, used: list[Resource]) -> ProcessorFacts:
    """One GPU."""
    boost = f"{processor.clock_hz_boost / 1e9:.{CLOCK_DIGITS}g} GHz"
    facts = [("architecture", processor.architecture), ("SMs", str(processor.sm_count)), ("boost clock", boost)]
    if processor.memory_type:
        facts.append(("memory", processor.memory_type))
    rows = []
    for resource in used:
        supply = processor.supply(resource)
        if supply is None:
            rows.append(SupplyRow(resource.label, "–", "absent", "", "the catalog knows none", True))
            continue
        spread = supply.relative_uncertainty
        rows.append(
            SupplyRow(
                label=resource.label,
                rate=format_quantity(supply.per_s, f"{resource.unit}/s"),
                kind=supply.kind.value,
                uncertainty=f"± {100 * spread:.0f} %" if spread > 0 else "",
                source=one_line(supply.source, 240),
                doubtful=supply.kind is Kind.ESTIMATED,
            )
        )
    return ProcessorFacts(
        one_line(processor.name, 160), one_line(processor.key, 160), role, tuple(facts), tuple(rows),
        tuple(one_line(n, 300) for n in processor.notes),
    )  # fmt: skip
