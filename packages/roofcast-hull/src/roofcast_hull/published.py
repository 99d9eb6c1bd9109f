"""The boat hull model as published, on any processor of the catalog."""

from __future__ import annotations

from roofcast.core.errors import RoofcastError
from roofcast.core.processor import Kind, Processor
from roofcast.core.resource import Resource
from roofcast_hull import boat_hull
from roofcast_hull.bounds import Assumptions, Bounds, Limit, Line, Settings
from roofcast_hull.classes import Floor, Variables, find_family
from roofcast_hull.notation import AlgorithmClass

SECTOR_BYTES = 32
"""B that an uncoalesced access moves where the catalog has no size of a sector."""
LANE_BYTES = 4
"""B of a lane of a CPU's vector unit, in which the catalog counts its width."""
CPU_OFFSET_SHARE = 0.25
"""The source prints o = 4 for the one CPU class that it shows, a quarter of that class's o on GPUs."""


def published_bounds(found: AlgorithmClass, processor: Processor, settings: Settings) -> Bounds:
    """c0, m0 and the floors of the source."""
    family = find_family(found)
    variables = family.variables(found)
    build = gpu_bounds if processor.is_gpu else cpu_bounds
    return build(found, variables, processor, settings, (family.note,) if family.note else ())


def gpu_bounds(
    found: AlgorithmClass, variables: Variables, processor: Processor, settings: Settings, notes: tuple[str, ...]
) -> Bounds:
    """c0, m0, c1, m1 and t0 of a GPU."""
    size, assume = settings.element_bytes, settings.assume
    peak = compute_peak(processor, settings)
    coalesced = dram_rate(processor)
    uncoalesced, note = uncoalesced_rate(processor, coalesced, size)
    offset = variables.offset_ops if settings.offset_ops is None else settings.offset_ops
    c0 = compute_line("c0", "compute", variables, offset, peak, 1.0)
    without = float(boat_hull.compute_time_s_without_fma(1.0))
    c1 = compute_line("c1", "no fused multiply-add", variables, offset, peak, without)
    m0 = boat_hull.memory_time_s(
        variables.elements_coalesced * size, variables.elements_uncoalesced * size, coalesced, uncoalesced
    )
    m1 = boat_hull.scattered_time_s(variables.elements_total * size, uncoalesced)
    base = Line("m0", "memory", Limit.MEMORY, float(m0))
    scattered = Line("m1", "scattered memory accesses", Limit.MEMORY, float(m1))
    open_memory = Floor.SCATTERED in variables.floors and assume.coalesced is not True
    hull = [c1 if assume.fma is False else c0, base]
    floors = [] if assume.fma is True else [c1]
    if open_memory:
        floors.append(scattered)
        hull += [scattered] if assume.coalesced is False else []
    inward, outward = transfer_times(found, processor, size)
    all_notes = (*notes, note) if note else notes
    return Bounds(processor.name, "published", tuple(hull), tuple(floors), 0.0, inward, outward, all_notes)


def compute_line(key: str, meaning: str, variables: Variables, offset: float, ops_per_s: float, factor: float) -> Line:
    """A compute bound, ``factor`` times slower than the roof."""
    w, m = variables.work_units, variables.applications_per_unit
    base = float(boat_hull.compute_time_s(w, 0.0, m, offset, ops_per_s))
    slope = float(boat_hull.compute_time_s(w, 1.0, m, 0.0, ops_per_s))
    return Line(key, meaning, Limit.COMPUTE, factor * base, factor * slope)


def compute_peak(processor: Processor, settings: Settings) -> float:
    """P_compute: the theoretical peak; integers count as FP32, as in the source."""
    resource = Resource.FLOPS_FP32 if settings.resource is Resource.OPS_INT32 else settings.resource
    supply = processor.supply(resource)
    if supply is None:
        raise RoofcastError(
            f"{processor.name} has no {resource.label} rate in the catalog; choose another element type"
        )
    return supply.peak_per_s or supply.per_s


def dram_rate(processor: Processor, variant: str = "copy") -> float:
    """P_coalesced: the practical bandwidth."""
    supply = processor.supply(Resource.BYTES_DRAM, variant)
    if supply is None:
        raise RoofcastError(f"{processor.name} has no memory bandwidth in the catalog")
    return supply.per_s


def uncoalesced_rate(processor: Processor, coalesced: float, element_bytes: float) -> tuple[float, str]:
    """P_uncoalesced in useful bytes, and a note where it is not measured."""
    measured = processor.variants.get(f"{Resource.BYTES_DRAM.value}:uncoalesced")
    if measured is not None:
        return min(measured.per_s, coalesced), ""
    sector = processor.l1_sector_bytes or SECTOR_BYTES
    used = min(element_bytes, sector)
    return coalesced * used / sector, f"scattered accesses use {used:.3g} of the {sector} B that each one moves"


def transfer_times(found: AlgorithmClass, processor: Processor, element_bytes: float) -> tuple[float, float]:
    """Seconds to copy the inputs in and the outputs out; 0 where processor and host share memory."""
    rate = host_link_rate(processor)
    if rate is None:
        return 0.0, 0.0
    inward = boat_hull.transfer_time_s(found.elements_in * element_bytes, rate)
    outward = boat_hull.transfer_time_s(found.elements_out * element_bytes, rate)
    return float(inward), float(outward)


def host_link_rate(processor: Processor) -> float | None:
    """B_bus: as measured in the era of the source, else what the catalog says of the link; None without a link."""
    link = processor.supply(Resource.BYTES_HOST_LINK)
    measured = processor.variants.get(f"{Resource.BYTES_HOST_LINK.value}:h2d")
    if measured is not None and measured.kind is Kind.MEASURED and not is_modern(processor):
        return measured.per_s
    return None if link is None else link.per_s


def is_modern(processor: Processor) -> bool:
    """GPUs since 2014: caches for all accesses, fast atomics, 32-byte sectors."""
    return processor.is_gpu and (processor.launch_date or "9999") >= "2014"


def cpu_bounds(
    found: AlgorithmClass, variables: Variables, processor: Processor, settings: Settings, notes: tuple[str, ...]
) -> Bounds:
    """c0 to c3 and m0 of a CPU. Coalescing is no issue there: m0 moves all of d."""
    del found
    peak = compute_peak(processor, settings)
    memory = dram_rate(processor)
    offset = variables.offset_ops * CPU_OFFSET_SHARE if settings.offset_ops is None else settings.offset_ops
    threads = processor.sm_count * (processor.max_threads_per_sm or 1)
    lanes = max(1.0, processor.warp_size * LANE_BYTES / settings.element_bytes)
    steps = allowed_codes(settings.assume, lanes, threads)
    lines = [
        compute_line(key, meaning, variables, offset, peak, float(boat_hull.compute_time_s_of_code(1.0, w, n)))
        for key, meaning, w, n in steps
    ]
    moved = variables.elements_total * settings.element_bytes
    m0 = Line("m0", "memory", Limit.MEMORY, float(boat_hull.memory_time_s(moved, 0.0, memory, memory)))
    return Bounds(processor.name, "published", (lines[0], m0), tuple(lines[1:]), notes=notes)


CPU_CODES = {
    "c0": ("all threads, vector", True, True),
    "c1": ("all threads, scalar", True, False),
    "c2": ("one thread, vector", False, True),
    "c3": ("one thread, scalar", False, False),
}
"""Kinds of code on CPUs: meaning, whether it uses all threads, whether it uses vectors."""


def allowed_codes(assume: Assumptions, lanes: float, threads: float) -> list[tuple[str, str, float, float]]:
    """Kinds of code that the assumptions allow, fastest first: key, meaning, unused lanes, unused threads."""
    allowed = [
        (key, meaning, 1.0 if vector else lanes, 1.0 if all_threads else threads)
        for key, (meaning, all_threads, vector) in CPU_CODES.items()
        if assume.threads in (None, all_threads) and assume.vector in (None, vector)
    ]
    return sorted(allowed, key=lambda code: code[2] * code[3])
