"""Which GPU each launch was measured on: what the file records, what its rows reached, and what the user says about it.

A bare name means its usual board, unless what its rows reached is beyond that one.
"""

from __future__ import annotations

from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog import Match, find, library, parse_target
from roofcast.catalog.finding import Recorded, candidates, capability, number, whole
from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError, UnknownProcessorError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.remarks import encode_pairs
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.models.physics.kernel_inputs import bytes_counted, touched_bytes

Identity = tuple[str, str, float | None, float | None]


@dataclass(frozen=True)
class Sources:
    """The rows to forecast, and the GPU of each."""

    kernels: KernelTable
    processors: tuple[Processor, ...]
    index: NDArray[np.intp]
    """(n,) position in ``processors``; -1 where the GPU is unknown."""
    notes: tuple[tuple[str, ...], ...]
    """Per row, how its GPU was found."""


def resolve_target(target: str | Processor) -> Match:
    """A processor from whatever a user may give for one."""
    if isinstance(target, Processor):
        return Match(target)
    if not isinstance(target, (str, PurePath)):
        raise UnknownProcessorError(f"a {type(target).__name__} is no GPU: give a name, a TOML file or a processor")
    return parse_target(str(target))


def resolve_sources(kernels: KernelTable, source: str | Processor | None) -> Sources:
    """Find the GPU of every row.

    source : the user's word. In a table of several GPUs it selects the rows of that GPU (rows without a GPU count as
        its own); where the file names one GPU or none, it is the GPU of all rows.
    """
    identity, which = identities(kernels)
    matches = [look_up(i, kernels, which == k) for k, i in enumerate(identity)]
    if source is None:
        return as_recorded(kernels, identity, matches, which)
    given = among_recorded(source, matches) or resolve_target(source)
    if isinstance(source, str) and len(identity) == 1:
        given = fitting_board(source, given, kernels, identity[0][1:])
    named = [i for i, (name, *_) in enumerate(identity) if name.strip()]
    if len({identity[i][0].strip().lower() for i in named}) > 1:
        wanted = [i for i in range(len(identity)) if i not in named or is_same(identity[i], matches[i], given, source)]
        if not any(i in named for i in wanted):
            present = ", ".join(dict.fromkeys(identity[i][0].strip() for i in named))
            raise RoofcastError(f"no rows of {given.processor.name}: the table has {present}")
        rows = np.isin(which, wanted)
        kernels, which = kernels.select(rows), which[rows]
    notes = tuple(given_notes(identity[i], matches[i], given) for i in range(len(identity)))
    return Sources(
        kernels, (given.processor,), np.zeros(len(kernels), np.intp), tuple(notes[i] for i in which.tolist())
    )


def among_recorded(source: str | Processor, found: list[Match | str]) -> Match | None:
    """The one variant in the table that a user's ambiguous name fits; None where none or several do."""
    if not isinstance(source, str):
        return None
    keys = set(candidates(source.strip()))
    fitting = {m.processor.key: m.processor for m in found if isinstance(m, Match) and m.processor.key in keys}
    if len(keys) < 2 or len(fitting) != 1:
        return None
    (processor,) = fitting.values()
    return Match(processor, (f"{one_line(source, 60)!r}: took {processor.name}, which the file names",))


def identities(kernels: KernelTable) -> tuple[list[Identity], NDArray[np.intp]]:
    """Distinct GPU identities of a table, and the position of each row's among them."""
    # None where absent, so that equal identities compare equal.
    sms, memory = (
        [None] * len(kernels) if np.isnan(values).all() else [None if v != v else v for v in values.tolist()]  # noqa: PLR0124 - NaN
        for values in (kernels.column("sm_count"), kernels.column("capacity_bytes_dram"))
    )
    names, facts = encode_pairs(kernels.strings("gpu").tolist(), kernels.strings("compute_capability").tolist())
    sizes, measures = encode_pairs(sms, memory)
    if len(measures) == 1:
        return [(*fact, *measures[0]) for fact in facts], names
    which, known = encode_pairs(names.tolist(), sizes.tolist())
    return [(*facts[name], *measures[size]) for name, size in known], which


def look_up(identity: Identity, kernels: KernelTable, rows: NDArray[np.bool_]) -> Match | str:
    """The catalog entry of an identity, or why there is none. rows : (n,) that have it; what they reached counts."""
    name, capability, sm_count, memory = identity
    if not (name.strip() or capability or sm_count):
        return ""
    try:
        match = find(name.strip() or None, compute_capability=capability, sm_count=sm_count, memory_bytes=memory)
    except RoofcastError as error:
        return one_line(str(error))
    if len(candidates(name.strip())) < 2:
        return match
    return fitting_board(name, match, kernels.select(rows), identity[1:])


def as_recorded(
    kernels: KernelTable, identity: list[Identity], found: list[Match | str], which: NDArray[np.intp]
) -> Sources:
    """The GPUs that the file records, one entry per distinct processor."""
    processors: dict[str, int] = {}
    members: list[Processor] = []
    position: list[int] = []
    notes: list[tuple[str, ...]] = []
    for match in found:
        if isinstance(match, str):
            position.append(-1)
            notes.append((match,) if match else ())
            continue
        if match.processor.key not in processors:
            processors[match.processor.key] = len(members)
            members.append(match.processor)
        position.append(processors[match.processor.key])
        notes.append(match.notes)
    index = np.array(position, dtype=np.intp)[which] if identity else np.zeros(0, np.intp)
    return Sources(kernels, tuple(members), index, tuple(map(notes.__getitem__, which.tolist())))


def is_same(identity: Identity, found: Match | str, given: Match, source: str | Processor) -> bool:
    """Return whether rows of an identity are rows of the GPU that the user named."""
    if isinstance(source, str) and identity[0].strip().lower() == source.strip().lower():
        return True
    return isinstance(found, Match) and found.processor.key == given.processor.key.rstrip("*")


def given_notes(identity: Identity, found: Match | str, given: Match) -> tuple[str, ...]:
    """Notes on a GPU that the user named; a contradiction with the file is one of them."""
    recorded = identity[0].strip()
    if isinstance(found, Match) and recorded and found.processor.key != given.processor.key.rstrip("*"):
        return (*given.notes, f"the file says {one_line(recorded, 80)}; {given.processor.name} is used, as named")
    return given.notes


BEYOND = 1.1
"""A rate over a board's peak that no error of counting or timing explains."""
CLOCK_BEYOND = {"datacentre": 1.02}
"""Datacentre cards end at their boost clock; others exceed what is printed on their box by up to an eighth."""
CLOCK_BEYOND_OTHERS = 1.15
"""1; clock over the rated boost that boards of all other segments reach."""
MOST_ROWS = 0.9
"""Share of the rows that may lie below what counts as reached: a few damaged rows name no board."""
RATES = (Resource.FLOPS_FP64, Resource.FLOPS_FP32)
"""Counts that no other pipe serves."""


@dataclass(frozen=True)
class Reached:
    """What the rows of one GPU reached; NaN where nothing tells."""

    clock_hz: float
    per_s: dict[Resource, float]

    def beyond(self, p: Processor) -> str:
        """What of it a processor cannot; '' where nothing speaks against it."""
        most = CLOCK_BEYOND.get(p.segment, CLOCK_BEYOND_OTHERS) * max(p.clock_hz_boost, p.clock_hz_sustained or 0.0)
        if self.clock_hz > most:
            return (
                f"{format_quantity(self.clock_hz, 'Hz')} of SM clock (it has {format_quantity(p.clock_hz_boost, 'Hz')})"
            )
        for resource, per_s in self.per_s.items():
            supply = p.supply(resource)
            peak = max(supply.peak_per_s or 0.0, supply.per_s) if supply else 0.0
            if peak and per_s > BEYOND * peak:
                unit = f"{resource.unit}/s"
                return f"{format_quantity(per_s, unit)} of {resource.label} (it has {format_quantity(peak, unit)})"
        return ""


def most_of(values: FloatArray) -> float:
    """What all but a few reach at most."""
    known = values[np.isfinite(values) & (values > 0)]
    return float(np.quantile(known, MOST_ROWS, method="lower")) if len(known) else float("nan")


CACHE_MOST = 3e8
"""B that the largest last-level cache of any GPU keeps."""


def bytes_from_dram(kernels: KernelTable) -> FloatArray:
    """(n,) B that DRAM served at least: counted, else what a kernel touches beyond any cache."""
    counted = np.where(bytes_counted(kernels), kernels.column(Resource.BYTES_DRAM.value), np.nan)
    beyond = touched_bytes(kernels) - CACHE_MOST
    return np.where(np.isnan(counted), np.where(beyond > 0, beyond, np.nan), counted)


@quietly()
def reached_by(kernels: KernelTable) -> Reached:
    """What rows of one GPU reached."""
    time_s = np.where(kernels.column("time_s") > 0, kernels.column("time_s"), np.nan)
    per_s = {Resource.BYTES_DRAM: most_of(bytes_from_dram(kernels) / time_s)}
    for resource in RATES:
        counted = kernels.origin_of(resource.value) == Origin.COUNTED
        per_s[resource] = most_of(np.where(counted, kernels.column(resource.value), np.nan) / time_s)
    return Reached(most_of(kernels.column("clock_hz")), per_s)


def fitting_board(
    name: str, match: Match, kernels: KernelTable, record: tuple[str | None, float | None, float | None] | None = None
) -> Match:
    """The match of a name, or another board of that name where its rows reached what the match's cannot.

    record : compute capability, SMs and bytes of memory that the file states, which leave fewer boards to choose from.
    """
    recorded = Recorded(capability(record[0]), whole(record[1]), number(record[2])) if record else Recorded()
    entries = library.index()["entries"]
    keys = [k for k in candidates(name.strip()) if not recorded.misfits(entries[k])]
    if len(keys) < 2 or match.processor.key not in keys:
        return match
    reached = reached_by(kernels)
    why = reached.beyond(match.processor)
    fitting = [p for k in keys if not reached.beyond(p := library.processor(k))] if why else []
    if not fitting:
        return match
    least = min(fitting, key=lambda p: p.rate(Resource.BYTES_DRAM))
    sentence = f"{one_line(name)!r}: took {least.name}, not {match.processor.name}: the kernels reach {why}"
    return Match(least, (sentence,))
