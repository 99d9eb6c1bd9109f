"""The forecast as one self-contained page: kernels, limits, causes, and where every number comes from."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Kind, Processor, Supply
from roofcast.core.properties import PROPERTIES
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import PRODUCTION
from roofcast.core.units import format_quantity
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.notes import list_general_texts, list_kernel_texts, list_reasons
from roofcast.kit.names import clipped, table_names
from roofcast.kit.page import (
    FILE_HEADS,
    OWN,
    REPORT_STYLE,
    Lead,
    compile_template,
    embed_json,
    file_row,
    read_assets,
    render_document,
    round_number,
)
from roofcast.kit.quantities import ABSENT, format_energy, format_percent
from roofcast.kit.table import Column, Table, rank_longest
from roofcast.reports.show import tabulate_forecast
from roofcast.reports.totals import sum_up
from roofcast.reports.verdict import state_forecast
from roofcast.rooflines.interactive import build_page_data
from roofcast.rooflines.placement import build_roofline

MAX_CELLS = 7000
"""Kernels x GPUs that the page lists: beyond that it would grow past a few megabytes."""
MIN_ROWS = 20
"""Kernels that a page lists at least, however many GPUs stand beside them."""
RARE = 0.2
"""Share of the kernels up to which a flag marks them in the table."""
UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Segment:
    """Share of the time that one resource limits."""

    css: str
    label: str
    x: float
    width: float
    percent: str


@dataclass(frozen=True, slots=True)
class LimitBar:
    """One GPU's time by limit."""

    name: str
    role: str
    time: str
    segments: tuple[Segment, ...]


def list_rows(forecast: Forecast) -> list[int]:
    """Kernels that the page lists, longest first: all, or those with most time where there are very many."""
    room = max(MIN_ROWS, MAX_CELLS // (len(forecast.targets) + 1))
    return rank_longest(forecast.source_total_s, room)


def tabulate_kernels(forecast: Forecast, rows: Sequence[int]) -> Table:
    """The kernels that the page lists, doubtful data marked."""
    kernels = forecast.kernels
    # What is said of many kernels stands under the data quality; a mark on each would tell nobody anything.
    counts = Counter(flag for flags in kernels.flags for flag in set(flags))
    rare = {flag for flag, count in counts.items() if count <= max(1, RARE * len(kernels))}
    marks = {i: "!" for i in rows if rare.intersection(kernels.flags[i])}
    return tabulate_forecast(forecast, rows, dict(enumerate(table_names(kernels))), marks, shares=True)


def build_limit_bars(forecast: Forecast) -> list[LimitBar]:
    """Time by limiting resource, on the source and on each target, over the kernels that have both times."""
    forecast = forecast.each_work_once()
    estimate, time, there = forecast.estimate, forecast.source_total_s, forecast.time_total_s
    here = forecast.limits_target()
    any_target = (estimate.time_s > 0).any(axis=1) & (time > 0) if len(forecast.targets) else time > 0
    names = list(dict.fromkeys(s.name if s else UNKNOWN for s in forecast.sources))
    role = "measured" if forecast.on_source is None else "source"
    bars = [build_limit_bar(", ".join(names[:2]), role, np.where(any_target, time, 0.0), forecast.limits_source())]
    for j, target in enumerate(forecast.targets):
        seconds = np.where((there[:, j] > 0) & (time > 0), there[:, j], 0.0)
        bars.append(build_limit_bar(target.name, "forecast", seconds, list(here[:, j])))
    return [b for b in bars if b.segments]


def build_limit_bar(name: str, role: str, seconds: FloatArray, limits: list[str | None]) -> LimitBar:
    """One stacked bar, largest share first, in per cent of its width."""
    sums: dict[str | None, float] = {}
    for limit, value in zip(limits, seconds.tolist(), strict=True):
        sums[limit] = sums.get(limit, 0.0) + value
    total, left, segments = sum(sums.values()), 0.0, []
    for limit, value in sorted(sums.items(), key=lambda item: -item[1]):
        if not value > 0:
            continue
        width = 100 * value / total
        segments.append(Segment(choose_style(limit), name_limit(limit), left, width, format_percent(value / total)))
        left += width
    return LimitBar(one_line(name, 160), role, format_quantity(total, "s"), tuple(segments))


def choose_style(limit: str | None) -> str:
    """Style class of a resource: memory levels have a colour each, pipes share one by kind."""
    if not limit:
        return "other"
    resource = Resource(limit)
    if resource in (Resource.BYTES_L1, Resource.BYTES_SHARED, Resource.BYTES_L2, Resource.BYTES_DRAM):
        return resource.value
    return "pipe" if resource.is_compute else "issue" if resource.value.startswith("insts_") else "other"


def name_limit(limit: str | None) -> str:
    """Name of a resource for people."""
    return Resource(limit).label if limit else UNKNOWN


MAX_NOTES = 60
"""Notes that a page prints."""
NAMED = 3
"""Kernels that a note names."""
CLOCK_DIGITS = 4
"""Significant digits of a clock: boost clocks are rated to 15 MHz."""


@dataclass(frozen=True, slots=True)
class Note:
    """One statement and what it holds for."""

    text: str
    scope: str


@dataclass(frozen=True, slots=True)
class ProcessorFacts:
    """One GPU of the forecast."""

    name: str
    key: str
    role: str
    facts: tuple[tuple[str, str], ...]
    supplies: str
    """The ceilings as a table."""
    notes: tuple[str, ...]


def list_texts(forecast: Forecast, i: int) -> list[str]:
    """Reasons, notes and assumptions of one kernel."""
    texts = [*list_reasons(forecast, i), *list_kernel_texts(forecast, i)]
    return [one_line(t, 300) for t in dict.fromkeys(texts)]


def list_notes(forecast: Forecast) -> list[Note]:
    """Notes of targets, files and kernels, each once, with the kernels that it holds for."""
    notes = [Note(t, s) for t, s in dict.fromkeys(list_general_texts(forecast))]
    holders: dict[str, list[int]] = {}
    for i in range(len(forecast.kernels)):
        for text in list_texts(forecast, i):
            holders.setdefault(text, []).append(i)
    names = table_names(forecast.kernels) if holders else []
    ranked = sorted(holders.items(), key=lambda item: -len(item[1]))
    notes += [Note(text, name_scope(rows, names)) for text, rows in ranked[:MAX_NOTES]]
    if len(ranked) > MAX_NOTES:
        notes.append(Note(f"{len(ranked) - MAX_NOTES} more notes", "--format json holds all of them"))
    return notes


def name_scope(rows: list[int], names: list[str]) -> str:
    """Which kernels a note holds for."""
    if len(rows) == len(names):
        return "every kernel" if len(names) > 1 else "the kernel"
    listed = ", ".join(clipped(names[i], 40) for i in rows[:NAMED])
    return listed if len(rows) <= NAMED else f"{len(rows)} kernels: {listed}, …"


def list_origins(kernels: KernelTable) -> list[tuple[str, str]]:
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


def list_conditions(forecast: Forecast) -> list[tuple[str, str]]:
    """Version, model and conditions."""
    conditions = forecast.conditions
    floor = conditions.launch_floor_s
    clock = conditions.clock if isinstance(conditions.clock, str) else format_quantity(conditions.clock, "Hz")
    rows = [
        ("roofcast", forecast.provenance.get("roofcast", "")),
        ("model", forecast.model),
        ("coverage asked for", format_percent(conditions.coverage, exact=True)),
        ("intervals", state_forecast(forecast).promise),
        ("conditions of both sides", str(forecast.conditions_told.get("text", "")).partition(": ")[2]),
        ("clock of both sides", clock),
        ("caches of both sides", conditions.cache),
    ]
    if floor:
        rows.append(("empty launch, source and target", " and ".join(format_quantity(f, "s") for f in floor)))
    known = {"roofcast", "model"}
    extra = [(k, v) for k, v in forecast.provenance.items() if k not in known]
    return [(one_line(k, 80), one_line(v, 300)) for k, v in [*rows, *extra] if v]


def write_plain(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Texts as a table of the page; '' where there are none."""
    return Table.of_cells(heads, rows).html(kind="plain") if rows else ""


SWITCHES = {"machine code": "--no-sass", "files": "--together"}
"""What the provenance says of a switch that was set, and the switch."""


def write_command(forecast: Forecast) -> str:
    """The command that makes this forecast again; files by name only, so that no folder or host is told."""
    conditions = forecast.conditions
    words = ["roofcast", "forecast"]
    words += [p.file.replace("\\", "/").rpartition("/")[2] or "-" for p in forecast.kernels.provenance] or ["FILE"]
    words += ["--to", ",".join(t.name for t in forecast.targets)]
    sources = list(dict.fromkeys(s.name for s in forecast.sources if s))
    if len(sources) == 1 and not any(str(g) for g in forecast.kernels.strings("gpu")):
        words += ["--from", sources[0]]
    words += ["--model", forecast.model, "--coverage", f"{conditions.coverage:g}"]
    if conditions.named != PRODUCTION:
        words += ["--conditions", conditions.named]
    if conditions.clock != "auto":
        words += ["--clock", f"{conditions.clock:g}" if isinstance(conditions.clock, float) else str(conditions.clock)]
    if conditions.cache != "auto":
        words += ["--cache", conditions.cache]
    if conditions.load != "auto":
        words += ["--load", conditions.load]
    if conditions.launch_floor_s:
        words += ["--launch-floor", ",".join(f"{f:g}" for f in conditions.launch_floor_s)]
    words += [option for fact, option in SWITCHES.items() if fact in forecast.provenance]
    for option, fact in (("--target-sass", "code of the target"), ("--size", "problem size")):
        if fact in forecast.provenance:
            words += [option, forecast.provenance[fact]]
    return shlex.join(one_line(w, 300) for w in words)


def list_processors(forecast: Forecast) -> list[ProcessorFacts]:
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
    return [list_facts(p, role, used) for p, role in roles.values()]


def list_facts(processor: Processor, role: str, used: list[Resource]) -> ProcessorFacts:
    """One GPU."""
    boost = f"{processor.clock_hz_boost / 1e9:.{CLOCK_DIGITS}g} GHz"
    facts = [("architecture", processor.architecture), ("SMs", str(processor.sm_count)), ("boost clock", boost)]
    if processor.memory_type:
        facts.append(("memory", processor.memory_type))
    columns = (
        Column("resource", lambda r: r.label),
        Column("sustained", lambda r: (processor.supply(r), r), show_rate),
        Column("kind", processor.supply, name_kind, right=False),
        Column("±", processor.supply, show_uncertainty),
        Column("source", lambda r: name_source(processor.supply(r))),
    )  # fmt: skip
    supplies = Table(columns, used).html(kind="plain supplies")
    return ProcessorFacts(
        one_line(processor.name, 160), one_line(processor.key, 160), role, tuple(facts), supplies,
        tuple(one_line(n, 300) for n in processor.notes),
    )  # fmt: skip


def name_kind(supply: Supply | None) -> str:
    """Where a rate comes from, loud where it was not measured."""
    return (
        "absent"
        if supply is None
        else supply.kind.value.upper()
        if supply.kind is Kind.ESTIMATED
        else supply.kind.value
    )


def name_source(supply: Supply | None) -> str:
    """The source of a supply."""
    return "the catalog knows none" if supply is None else one_line(supply.source, 240)


def show_rate(found: tuple[Supply | None, Resource]) -> str:
    """A rate with the unit of its resource."""
    supply, resource = found
    return ABSENT if supply is None else format_quantity(supply.per_s, f"{resource.unit}/s")


def show_uncertainty(supply: Supply | None) -> str:
    """The spread of a rate."""
    return format_percent(supply.relative_uncertainty, 0) if supply and supply.relative_uncertainty > 0 else ""


LEAST_SHARE = 0.005
"""Resources below this share of the kernel_causes's time on every GPU are not drawn."""
MAX_TEXTS = 12
"""Sentences about one kernel that a page keeps."""


def build_causes(forecast: Forecast) -> dict[str, Any]:
    """Per kernel_causes: its time and the seconds that each resource alone needs, on the source and on each target."""
    estimate = forecast.estimate
    resources = [
        r for r in Resource if r in estimate.time_s_by_resource_source or r in estimate.time_s_by_resource_target
    ]
    n, m = estimate.time_s.shape
    there = stack_seconds(estimate.time_s_by_resource_source, resources, (n,))
    here = stack_seconds(estimate.time_s_by_resource_target, resources, (n, m))
    # A forecast of which only the result is known has nothing between its ends to draw.
    levels = np.full((n, m, 1), np.nan) if forecast.explainer is None else forecast.explain().levels_s
    texts: dict[str, int] = {}
    return {
        "resources": [{"label": r.label, "css": choose_style(r.value)} for r in resources],
        "sources": [s.name if s else "" for s in forecast.sources],
        "targets": [t.name for t in forecast.targets],
        "steps": [c.label for c in PROPERTIES],
        "kernels": [
            build_kernel_causes(forecast, i, there[:, i], here[:, i, :], texts)
            | {"w": [pick_steps(at) for at in levels[i]]}
            for i in range(n)
        ],
        "texts": list(texts),
    }


def build_kernel_causes(
    forecast: Forecast, i: int, there: FloatArray, here: FloatArray, texts: dict[str, int]
) -> dict[str, Any]:
    """One kernel; ``texts`` collects notes, which many kernels share, and gets extended."""
    estimate, energy = forecast.estimate, forecast.energy
    time, joules = forecast.source_time_s[i], (energy.energy_j, energy.low_j, energy.high_j)
    targets = []
    longest = np.nan_to_num(there / time if time > 0 else there * 0.0)
    for j in range(here.shape[1]):
        seconds = estimate.time_s[i, j]
        claimed = math.nan if estimate.undecided[i, j] else seconds
        targets.append([round_number(v) for v in (claimed, estimate.time_low_s[i, j], estimate.time_high_s[i, j])])
        if seconds > 0:
            longest = np.maximum(longest, np.nan_to_num(here[:, j] / seconds))
    drawn = [int(r) for r in np.argsort(-longest, kind="stable") if longest[r] >= LEAST_SHARE]
    numbers = [texts.setdefault(t, len(texts)) for t in list_texts(forecast, i)[:MAX_TEXTS]]
    return {
        "m": round_number(forecast.measured_time_s[i]),
        "t": round_number(time),
        "f": targets,
        "e": [format_energy(*(float(v[i, j]) for v in joules)) for j in range(here.shape[1])],
        "r": [[r, round_number(there[r]), [round_number(v) for v in here[r]]] for r in drawn],
        "n": numbers,
    }


def stack_seconds(
    seconds: Mapping[Resource, FloatArray], resources: list[Resource], shape: tuple[int, ...]
) -> FloatArray:
    """(r, *shape) seconds; NaN where a resource is absent."""
    if not resources:
        return np.full((0, *shape), np.nan)
    absent = np.full(shape, np.nan)
    return np.stack([np.broadcast_to(seconds.get(r, absent), shape) for r in resources])


STEP_LEAST = 0.002
"""Steps below this share of the longer end join the next one."""
STEP_DIGITS = 5
"""Significant digits of a waterfall's steps in the page's data."""


def pick_steps(levels: FloatArray) -> list[list[float | int]]:
    """[cause, seconds after it] of the steps worth drawing; the last one ends at the forecast."""
    if not np.isfinite(levels).all():
        return []
    least, at, steps = STEP_LEAST * max(levels[0], levels[-1]), levels[0], []
    for k in range(len(PROPERTIES)):
        if abs(levels[k + 1] - at) >= least:
            at = levels[k + 1]
            steps.append([k, float(f"{at:.{STEP_DIGITS}g}")])
    return steps


@dataclass(frozen=True, slots=True)
class Assets:
    """The page's own style and scripts; the roofline's come first, so that the report can build on them."""

    style: str
    scripts: tuple[str, ...]
    template: str


def render_forecast_html(forecast: Forecast, command: str = "") -> str:
    """The report as text; the same forecast gives the same text.

    command : what was typed; without it the command that makes this forecast again is put together.
    """
    assets = load_assets()
    rows = list_rows(forecast)
    listed = forecast if rows == list(range(len(forecast.kernels))) else forecast.select(rows)
    roofline = build_roofline(listed.kernels, listed.sources, listed)
    context: dict[str, Any] = {
        "scripts": assets.scripts,
        "verdict": state_forecast(forecast).verdict,
        "roofline": embed_json(build_page_data(roofline)),
        "causes": embed_json(build_causes(listed)),
        "head": sum_up(forecast),
        "kernels": tabulate_kernels(forecast, rows).html("kernel", kind="sortable"),
        "left_out": len(forecast.kernels) - len(rows),
        "limits": build_limit_bars(forecast),
        "notes": write_plain(("holds for", "note"), [(n.scope, n.text) for n in list_notes(forecast)]),
        "origins": write_plain(("values", "columns"), list_origins(forecast.kernels)),
        "model_rows": write_plain(("condition", "value"), list_conditions(forecast)),
        "file_rows": write_plain(FILE_HEADS, [file_row(p) for p in forecast.kernels.provenance]),
        "processors": list_processors(forecast),
        "command": command or write_command(forecast),
        "roofline_notes": list(dict.fromkeys(f"{p.processor}: {n}" for p in roofline.panels for n in p.notes)),
    }
    names = ", ".join(t.name for t in context["head"].totals)
    title = f"Forecast: {context['head'].source} → {clipped(names, 120)}"
    body, lead = compile_template(assets.template).render(context), lead_forecast(forecast)
    return render_document(title, body, assets.style, assets.scripts, lead=lead)


def lead_forecast(forecast: Forecast) -> Lead:
    """What stands above a forecast: the sentence, what limits the time on its GPU, what intervals claim."""
    statement = state_forecast(forecast)
    shares = {b.name: ", ".join(f"{s.label} {s.percent}" for s in b.segments) for b in build_limit_bars(forecast)}
    name = one_line(statement.target, 160)
    why = f"The time on {name} is limited by {shares[name]}." if shares.get(name) else ""
    return Lead(statement.verdict, why, sum_up(forecast).claim)


def load_assets() -> Assets:
    """Style, scripts and template of this page."""
    room, rooflines = "roofcast.reports", "roofcast.rooflines"
    return Assets(
        read_assets(OWN, *REPORT_STYLE, "tables.css"),
        (read_assets(OWN, "tables.js"), read_assets(room, "forecast.js"), read_assets(rooflines, "roofline.js")),
        read_assets(room, "forecast.html.j2"),
    )
