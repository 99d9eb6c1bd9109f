r"""Parts of a GPU and GPUs under a power cap: MIG slices, AMD's partitions, ``{power=500W}``.

A MIG slice has SMs by its compute slices and memory, L2 and bandwidth by its memory slices (NVIDIA MIG user guide,
supported profiles; SM counts as ``nvidia-smi mig -lgip`` prints them). Clocks and what one SM does stay.

Under a power cap the clock falls. The dynamic power of CMOS goes with f V^2, and V with f near the top of the range:

.. math:: \frac{f}{f_0} = \left(\frac{P - P_i}{P_0 - P_i}\right)^{1/3}, \qquad P_i = 0.2\, P_0

f : SM clock under the cap. f_0 : boost clock, held at the board power. P : cap. P_0 : board power. P_i : what idle
units, fans and memory take (Mei, Wang and Chu 2017, A survey and measurement study of GPU DVFS on energy conservation).
Memory keeps its clock.
"""

from __future__ import annotations

import dataclasses
import re

from roofcast.core.errors import CatalogEntryError, UnknownProcessorError, one_line
from roofcast.core.processor import Domain, Fact, Kind, Processor, Supply
from roofcast.core.resource import Resource

IDLE_SHARE = 0.2
"""P_i over P_0."""
MIG_PROFILE = re.compile(
    r"(?P<compute>[123467])g\.(?P<memory>\d{1,3})gb(?P<extra>\+(?:me(?:\.all)?|gfx))?", re.IGNORECASE
)
MIG_NAME = re.compile(
    rf"^(?P<base>.*?)[ ,(:]*\bMIG[ -]*(?P<profile>{MIG_PROFILE.pattern})\)?(?: +Device +\d+:.*)?$", re.IGNORECASE
)
# SMs of a slice by compute slices, by chip and the SMs of the board; RTX PRO and A30 have four slices, others seven.
SMS: dict[tuple[str, int], dict[int, int]] = {
    ("GA100", 108): {1: 14, 2: 28, 3: 42, 4: 56, 7: 98},
    ("GA100", 56): {1: 14, 2: 28, 4: 56},
    ("GH100", 114): {1: 14, 2: 30, 3: 46, 4: 62, 7: 114},
    ("GH100", 132): {1: 16, 2: 32, 3: 60, 4: 64, 7: 132},
    ("GB100", 148): {1: 18, 2: 36, 3: 54, 4: 72, 7: 126},
    ("GB110", 148): {1: 18, 2: 36, 3: 54, 4: 72, 7: 126},
    ("GB202", 188): {1: 46, 2: 94, 4: 188},
}
SEVEN, FOUR = {(1, 1), (1, 2), (2, 2), (3, 4), (4, 4), (7, 8)}, {(1, 2), (2, 4), (4, 8)}
"""(compute slices, eighths of the memory) of the vendor's profiles."""
WITH_MEMORY = frozenset({Resource.BYTES_L2, Resource.ATOMICS_L2, Resource.BYTES_LLC, Resource.BYTES_DRAM})
SHARED_OUT = ("sm_count", "capacity_bytes_dram", "capacity_bytes_l2", "capacity_bytes_llc")
VGPU = re.compile(r"(?:\bGRID\b.*|.*\b[A-Z]{1,3}\d{1,4}[A-Z]*(?:-\w+)?)-\d{1,3}[QCABqcab]$")
APPLE = re.compile(r"^\s*(?:apple\b.*|m[1-5](?: (?:pro|max|ultra))?)\s*$", re.IGNORECASE)


def split_mig(text: str) -> tuple[str, str] | None:
    """GPU and profile of a slice's name; None for other names.

    >>> split_mig("NVIDIA H100 80GB HBM3 MIG 3g.40gb"), split_mig("MIG 1g.10gb     Device  0: (UUID: MIG-1)")
    (('NVIDIA H100 80GB HBM3', '3g.40gb'), ('', '1g.10gb'))
    """
    match = MIG_NAME.match(text.strip())
    return (match["base"].strip(" ,(:"), match["profile"].lower()) if match else None


def refuse_foreign(text: str) -> None:
    """Refuse what is no GPU that the catalog can describe, in one line."""
    name = one_line(text, 80)
    if APPLE.match(text):
        raise UnknownProcessorError(f"{name!r}: Apple's GPUs are not in the catalog: no vendor figures, no profiles")
    if VGPU.fullmatch(text.strip()):
        raise UnknownProcessorError(
            f"{name!r} is a vGPU profile, whose share of time its host decides: name the board, or a MIG slice of it"
        )


def cut_slice(board: Processor, chip: str, profile: str) -> Processor:
    """A MIG slice of a board."""
    match = MIG_PROFILE.fullmatch(profile.strip())
    counts = SMS.get((chip, board.sm_count))
    if counts is None or not board.capacity_bytes_dram:
        raise CatalogEntryError(f"{board.name} has no MIG slices that the catalog knows")
    if match is None:
        raise CatalogEntryError(f"mig={one_line(profile, 40)}: write compute slices and memory, e.g. mig=3g.40gb")
    compute, memory = int(match["compute"]), int(match["memory"])
    whole = max(counts)
    share = memory * 2**30 / board.capacity_bytes_dram
    eighths = 8 if compute == whole else round(8 * share)
    fits = (compute, eighths) in (SEVEN if whole == 7 else FOUR) and abs(eighths / 8 - share) < 0.15 * share
    if compute not in counts or not fits:
        sizes = sorted(SEVEN if whole == 7 else FOUR)
        gib = board.capacity_bytes_dram / 2**30
        known = ", ".join(f"{c}g.{gib * e / 8:.0f}gb" for c, e in sizes)
        raise CatalogEntryError(f"{board.name} has no MIG profile {one_line(profile, 40)}; it has {known}")
    return share_of(board, counts[compute], eighths / 8, f"{board.name} MIG {match[0].lower()}")


def share_of(board: Processor, sm_count: int, memory: float, name: str) -> Processor:
    """A part of a board: so many SMs, a share of memory, its bandwidth and the caches in front of it."""
    sms = sm_count / board.sm_count

    def part(resource: Resource, s: Supply) -> Supply:
        if resource in WITH_MEMORY:
            return s.scaled(memory)
        return s.scaled(sms) if s.domain is Domain.SM and s.scales_with_sms else s

    fact = Fact(Kind.DERIVED, "NVIDIA MIG user guide, supported profiles")

    def size(of_board: int | None) -> int | None:
        return None if of_board is None else round(of_board * memory)

    return dataclasses.replace(
        board, capacity_bytes_l2=size(board.capacity_bytes_l2), capacity_bytes_llc=size(board.capacity_bytes_llc),
        capacity_bytes_dram=None if board.capacity_bytes_dram is None else board.capacity_bytes_dram * memory,
        key=f"{board.key}*", name=name, sm_count=sm_count, aliases=(), published={},
        l2_partitions=1 if board.l2_partitions and memory <= 0.5 else board.l2_partitions,
        supplies={r: part(r, s) for r, s in board.supplies.items()},
        variants={k: part(Resource(k.partition(":")[0]), s) for k, s in board.variants.items()},
        facts={**board.facts, **dict.fromkeys(SHARED_OUT, fact)},
    )  # fmt: skip


def cap_power(base: Processor, cap_w: float, name: str) -> Processor:
    """A GPU whose board power is limited.

    >>> from roofcast import catalog
    >>> capped = cap_power(catalog.gpu("H100 SXM5 80GB"), 500.0, "capped")
    >>> round(capped.clock_hz_boost / 1e9, 2)
    1.71
    """
    if base.tdp_w is None:
        raise CatalogEntryError(f"{base.name}: its board power is not known: write clock=... instead of power=...")
    idle = IDLE_SHARE * base.tdp_w
    if cap_w <= 1.25 * idle:
        raise CatalogEntryError(
            f"{base.name}: power={cap_w:g}W is about what it draws idle; its board power is {base.tdp_w:g} W"
        )
    if cap_w >= base.tdp_w:
        return dataclasses.replace(base, key=f"{base.key}*", name=name)
    clock = base.clock_hz_boost * ((cap_w - idle) / (base.tdp_w - idle)) ** (1 / 3)
    base_clock, sustained = base.clock_hz_base or clock, base.clock_hz_sustained or clock
    capped = base.replace(clock_hz_boost=clock, tdp_w=cap_w, name=name)
    return dataclasses.replace(
        capped,
        clock_hz_base=None if base.clock_hz_base is None else min(base_clock, clock),
        clock_hz_sustained=None if base.clock_hz_sustained is None else min(sustained, clock),
    )
