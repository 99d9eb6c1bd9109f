"""The eight steps: the General Plasmon Pole kernel in nine versions, measured here, and as published on a V100.

[Yang2020] C. Yang: 8 Steps to 3.7 TFLOP/s on NVIDIA V100 GPU, arXiv:2008.11326. The code of the versions
(``suite/gpp.cu``) is our own, from the formulas and the steps; the published table is cited.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance, as_text
from roofcast.core.units import parse_quantity
from roofcast_measure.closed_forms import Value
from roofcast_measure.driver import Driver, Launch, LoadedKernel
from roofcast_measure.inputs import Arrays, make_inputs
from roofcast_measure.programs import Kernel, Program, Sizes, configuration_name
from roofcast_measure.reference_poles import branches
from roofcast_measure.running import Placed, repeats, run_now, verify
from roofcast_measure.suite import EIGHT_STEPS, load
from roofcast_measure.tables import Row, kernel_table
from roofcast_measure.timing import middle_and_spread, repeated, seconds_of, settled

VERSIONS = tuple(f"v{n}" for n in range(9))
SYSTEMS = ("Si-214", "Si-510")
MEASURED = ("H100 SXM5 80GB", "H200 SXM 141GB")
"""GPUs that our own versions were measured on (``gpp_measured.toml``)."""
PAPER_SIZES = {"nbands": 1000, "ngpown": 1000, "ncouls": 10000, "nw": 2}
"""Orders of magnitude that the paper gives for Si-214."""
LEAST_SIZES = {"nbands": 64, "ngpown": 8}
BLOCKS_PER_SM = 16
"""Blocks per SM of the versions whose grid follows the GPU."""
SCALE_ONCE = 0.1
"""Share of the paper's work in a run for a profiler, which repeats it three to forty times; arrays of 50 MB each."""
SECONDS_PER_VERSION, SECONDS_QUICK = 1.0, 0.05
REPETITIONS, REPETITIONS_QUICK = 5, 2
SAMPLE = 20_000
"""Elements that are drawn to find the shares of the branches."""
PLAIN = "#define PLAIN\n"
BLOCKED = ("gpp_v6", "gpp_v7", "gpp_v8")
V100_WARPS_PER_SM, V100_SMS, SCHEDULERS, V100_BYTES = 64, 80, 4, 16e9

Loaded = Mapping[str, LoadedKernel]


@dataclass(frozen=True, slots=True)
class PublishedStep:
    """One row of the paper's Table I, for one benchmark system."""

    version: str
    step: str
    system: str
    time_s: float
    flops_per_s: float
    warps_per_sm: int
    regs_per_thread: int
    block_threads: int


@dataclass(frozen=True, slots=True)
class Published:
    """What the paper says of the eight steps on a V100."""

    source: str
    gpu: str
    clock_hz: float
    flops_per_s_peak: float
    flops_per_s_customised: float
    """The peak that the share of fused multiply-adds allows."""
    fma_fraction: float
    v8_of_customised_peak: float
    v8_of_peak: float
    v4_flops_per_byte_dram: float
    note: str
    steps: tuple[PublishedStep, ...]

    def of(self, system: str) -> tuple[PublishedStep, ...]:
        """The nine versions for one benchmark system."""
        return tuple(s for s in self.steps if s.system == system)


@lru_cache(maxsize=1)
def published() -> Published:
    """The paper's table and figures as cited facts, in SI units."""
    raw = tomllib.loads(Path(__file__).with_name("gpp_published.toml").read_text(encoding="ascii"))
    steps = []
    for number, system in enumerate(SYSTEMS):
        for version, cells in raw["table"].items():
            block = raw["v8_block_threads"] if version == "v8" else raw["block_threads"]
            time_s, tera = cells[2 * number], cells[2 * number + 1]
            steps.append(
                PublishedStep(
                    version, raw["steps"][version], system, time_s, tera * 1e12, int(cells[4]), int(cells[5]), block
                )
            )
    return Published(
        source=raw["source"], gpu=raw["gpu"], clock_hz=parse_quantity(raw["clock"], "Hz"),
        flops_per_s_peak=parse_quantity(raw["peak"], "FLOP/s"),
        flops_per_s_customised=parse_quantity(raw["customised_peak"], "FLOP/s"),
        fma_fraction=raw["fma_fraction"], v8_of_customised_peak=raw["v8_of_customised_peak"],
        v8_of_peak=raw["v8_of_peak"], v4_flops_per_byte_dram=raw["v4_flop_per_byte_dram"], note=raw["note"],
        steps=tuple(steps),
    )  # fmt: skip


def published_table(system: str = SYSTEMS[0]) -> KernelTable:
    """The published versions as a kernel table: nine rows, labelled by version in ``extra["label"]``.

    FLOPs are derived (rate times time). Instruction counts follow the one share of fused multiply-adds that the paper
    states, so they are assumed; DRAM bytes are known of v4 alone, whose intensity the text gives.
    """
    facts = published()
    rows = facts.of(system)
    if not rows:
        raise RoofcastError(f"the paper has the systems {' and '.join(SYSTEMS)}")
    flops = np.array([r.flops_per_s * r.time_s for r in rows])
    # One FMA is two FLOPs, an addition or multiplication one.
    instructions = flops / (1 + facts.fma_fraction)
    dram = np.array(
        [f / facts.v4_flops_per_byte_dram if r.version == "v4" else math.nan for r, f in zip(rows, flops, strict=True)]
    )
    counted: dict[str, list[float]] = {
        "time_s": [r.time_s for r in rows], "clock_hz": [facts.clock_hz] * len(rows),
        "regs_per_thread": [r.regs_per_thread for r in rows], "block_threads": [r.block_threads for r in rows],
        "occupancy_fraction": [r.warps_per_sm / V100_WARPS_PER_SM for r in rows],
    }  # fmt: skip
    numeric = {n: (np.asarray(v, dtype=np.float64), Origin.COUNTED) for n, v in counted.items()}
    numeric |= {
        "flops_fp64": (flops, Origin.DERIVED), "bytes_dram": (dram, Origin.DERIVED),
        "insts_fp64_fma": (instructions * facts.fma_fraction, Origin.ASSUMED),
        "insts_fp64_mul": (instructions * (1 - facts.fma_fraction), Origin.ASSUMED),
        "insts_fp64_add": (np.zeros(len(rows)), Origin.ASSUMED),
    }  # fmt: skip
    return KernelTable.from_columns(
        {
            "kernel": ["gpp"] * len(rows), "config": [system] * len(rows), "gpu": [facts.gpu] * len(rows),
            "precision": ["fp64"] * len(rows), "dataset": ["Yang2020"] * len(rows),
        },
        numeric,
        extra={
            "label": as_text(r.version for r in rows), "step": as_text(r.step for r in rows),
            "warps_per_sm": np.array([float(r.warps_per_sm) for r in rows]),
        },
        provenance=Provenance(tool=facts.source),
    )  # fmt: skip


def derived_table() -> KernelTable:
    """The published versions of Si-214 with counters that the paper does not print (``gpp_derived.toml``), all assumed.

    A warp instruction stands for its active lanes; ``W / i`` cycles lie between two instructions of a warp: W
    warps of a scheduler, i its issue rate.
    """
    raw = tomllib.loads(Path(__file__).with_name("gpp_derived.toml").read_text(encoding="ascii"))
    table = published_table()

    def of(name: str) -> FloatArray:
        return np.array([raw[name][v] for v in VERSIONS])

    flops, lanes, terms = table.column("flops_fp64"), of("threads_per_inst"), raw["terms"]
    thread_insts = of("insts_per_fp64") * flops / (1 + published().fma_fraction)
    executed = thread_insts / lanes
    scheduler_cycles = table.column("time_s") * table.column("clock_hz") * V100_SMS * SCHEDULERS
    latency = table.column("occupancy_fraction") * V100_WARPS_PER_SM / SCHEDULERS / (executed / scheduler_cycles)
    columns = {name: of(name) * terms for name in ("bytes_dram", "bytes_l2", "bytes_l1", "bytes_local")}
    columns |= {name: of(name) * terms / lanes for name in ("insts_lsu", "insts_special")}
    columns |= {
        "bytes_per_sector_load": of("bytes_per_sector_load"), "threads_per_inst": lanes, "insts_thread": thread_insts,
        "insts_executed": executed, "insts_issued": executed, "warp_latency_cycles_per_inst": latency,
        "stall_long_scoreboard_per_inst": of("stall_long_scoreboard") * latency,
        "grid_blocks": of("threads") / table.column("block_threads"), "sm_count": np.full(len(table), float(V100_SMS)),
        "capacity_bytes_dram": np.full(len(table), V100_BYTES), "flops_fp32": np.zeros(len(table)),
        "smem_bytes_per_block": np.zeros(len(table)),
    }  # fmt: skip
    return table.with_columns(**{name: (values, Origin.ASSUMED) for name, values in columns.items()})


def measured_table(gpu: str) -> KernelTable:
    """Our own nine versions as they were measured on a GPU of the file ``gpp_measured.toml``.

    FLOPs follow the rates that were printed, so they are derived; instructions follow the code's share of fused ones.

    Raises
    ------
    RoofcastError : nobody measured them there.
    """
    raw = tomllib.loads(Path(__file__).with_name("gpp_measured.toml").read_text(encoding="ascii"))
    if gpu not in raw["gpus"]:
        raise RoofcastError(f"the steps were measured on {' and '.join(raw['gpus'])}")
    facts = raw["gpus"][gpu]
    n = len(VERSIONS)
    flops = np.array(raw["flops_per_term"]) * facts["nbands"] * facts["ngpown"] * facts["ncouls"]
    share = np.array(raw["fma_fraction"])
    # One FMA is two FLOPs, an addition or multiplication one.
    instructions = flops / (1 + share)
    threads = [s.block_threads for s in published().of(SYSTEMS[0])]
    counted: dict[str, Sequence[float]] = {
        "time_s": facts["time_s"], "regs_per_thread": raw["registers"], "block_threads": threads,
        "grid_blocks": [raw["blocks"]] * n, "smem_bytes_per_block": [raw["smem_bytes_per_block"]] * n,
    }  # fmt: skip
    numeric = {name: (np.asarray(v, dtype=np.float64), Origin.COUNTED) for name, v in counted.items()}
    numeric |= {
        name: (values, Origin.DERIVED) for name, values in (
            ("flops_fp64", flops), ("flops_fp32", np.zeros(n)), ("insts_fp64_fma", instructions * share),
            ("insts_fp64_mul", instructions * (1 - share)), ("insts_fp64_add", np.zeros(n)),
        )
    }  # fmt: skip
    program = eight_steps()
    size = ";".join(f"{name}={facts[name]}" for name in ("nbands", "ngpown", "ncouls"))
    labels = {
        "label": as_text(VERSIONS), "step": as_text(program.kernel(f"gpp_{v}").access for v in VERSIONS),
    }  # fmt: skip
    return KernelTable.from_columns(
        {
            "kernel": ["gpp"] * n, "config": [f"{size};nw=2;blocks={raw['blocks']}"] * n, "gpu": [gpu] * n,
            "precision": ["fp64"] * n, "dataset": ["roofcast_gpp"] * n,
        },
        numeric, extra=labels, provenance=Provenance(tool=raw["source"]),
    )  # fmt: skip


def eight_steps(*, plain: bool = False) -> Program:
    """The program in nine versions.

    plain : without what holds today's compilers from doing (v2) or undoing (v6 to v8) a step by themselves.
    """
    program = load(EIGHT_STEPS)
    if not plain:
        return program
    same = program.kernel("gpp_v5").amounts
    kernels = tuple(replace(k, amounts=same) if k.name in BLOCKED else k for k in program.kernels)
    return replace(program, text=PLAIN + program.text, kernels=kernels)


def version_kernels(program: Program, version: str) -> tuple[Kernel, Kernel]:
    """The kernel of a version and the one that adds up the blocks' sums."""
    return program.kernel(f"gpp_{version}"), program.kernel("gpp_reduce")


def scaled_sizes(scale: float, sm_count: int) -> dict[str, Value]:
    """The paper's sizes with the work (bands times igp) scaled; ig keeps its length, which the caches see.

    scale : share of the paper's work, in (0, 1].
    """
    share = math.sqrt(min(max(scale, 0.0), 1.0))
    bands = max(LEAST_SIZES["nbands"], round(PAPER_SIZES["nbands"] * share))
    inner = max(LEAST_SIZES["ngpown"], round(PAPER_SIZES["ngpown"] * share))
    return {"nbands": bands, "ngpown": inner, "ncouls": PAPER_SIZES["ncouls"], "nw": 2,
            "blocks": BLOCKS_PER_SM * sm_count}  # fmt: skip


def with_branches(program: Program, configuration: dict[str, Value], inputs: Arrays) -> dict[str, Value]:
    """All sizes of a configuration and the shares of its data in either branch, from a random sample."""
    sizes = program.sizes(configuration)
    rng = np.random.default_rng(1)
    poles = inputs["wtilde"][rng.integers(0, len(inputs["wtilde"]), SAMPLE)]
    first, second = branches(inputs["wx"][rng.integers(0, len(inputs["wx"]), SAMPLE)], poles, sizes)
    return sizes | {"p_first": float(first.mean()), "p_second": float(second.mean())}


@dataclass(frozen=True, slots=True)
class MeasuredVersion:
    """One version that was measured here."""

    version: str
    row: Row
    flops: float
    """Of the whole calculation: all launches of the version and the reduction."""
    bytes_compulsory: float


@dataclass(frozen=True)
class GppResult:
    """The nine versions on one device."""

    table: KernelTable
    deviations: dict[str, float]
    """Version -> largest deviation from the complex128 reference, relative."""


def run_gpp(
    driver: Driver,
    *,
    quick: bool = False,
    configuration: dict[str, Value] | None = None,
    once: bool = False,
    plain: bool = False,
    watch: Callable[[str], None] = lambda _: None,
    advance: Callable[[], None] = lambda: None,
) -> GppResult:
    """Check and time every version; times are those of the whole calculation, as in the paper.

    configuration : sizes; by default the paper's, scaled so that a version takes about a second. once : one run of each
    version on a tenth of the paper's work and nothing else, not even the check: for a profiler.
    plain : see :func:`eight_steps`.
    """
    program = eight_steps(plain=plain)
    loaded = driver.load(program.code)
    deviations = {} if once else checked_versions(driver, program, loaded, watch)
    if configuration is not None:
        sizes = configuration
    elif once:
        # A profiler counts every launch: none is spent on finding sizes or on the check.
        sizes = scaled_sizes(SCALE_ONCE, driver.info.sm_count)
    else:
        sizes = sizes_for(driver, program, loaded, SECONDS_QUICK if quick else SECONDS_PER_VERSION)
    inputs = make_inputs(program, program.sizes(sizes))
    known = with_branches(program, sizes, inputs)
    placed = Placed(driver, program, known, inputs)
    steps = []
    try:
        for version in VERSIONS:
            watch(f"{version} {configuration_name(sizes)}")
            count = 1 if once else REPETITIONS_QUICK if quick else REPETITIONS
            steps.append(time_version(driver, placed, loaded, version, sizes, count))
            advance()
    finally:
        placed.close()
    return GppResult(table_of(steps, driver), deviations)


def checked_versions(
    driver: Driver, program: Program, loaded: Loaded, watch: Callable[[str], None]
) -> dict[str, float]:
    """Deviation of every version from the reference."""
    deviations = {}
    for version in VERSIONS:
        watch(f"{version}: check")
        try:
            deviations[version] = verify(driver, program, loaded, version_kernels(program, version))
        except RoofcastError as error:
            raise RoofcastError(f"{version}: {error}") from error
    return deviations


def launches_of(placed: Placed, loaded: Loaded, version: str) -> list[Launch]:
    """Every launch of one version's whole calculation."""
    return list(placed.sequence(loaded, version_kernels(placed.program, version), [0]))


def sizes_for(driver: Driver, program: Program, loaded: Loaded, seconds: float) -> dict[str, Value]:
    """The paper's sizes, scaled so that the third version takes about so long on this device and fits into it."""
    small = scaled_sizes(0.0, driver.info.sm_count)
    placed = Placed(driver, program, program.sizes(small), make_inputs(program, program.sizes(small)))
    try:
        launches = launches_of(placed, loaded, "v3")
        run_now(driver, launches)
        took = min(seconds_of(driver, launches) for _ in range(3))
    finally:
        placed.close()
    least = small["nbands"] * small["ngpown"]
    scale = seconds / took * least / (PAPER_SIZES["nbands"] * PAPER_SIZES["ngpown"])
    while scale > 1e-6:
        sizes = scaled_sizes(scale, driver.info.sm_count)
        if program.bytes(program.sizes(sizes)) < 0.8 * driver.free_bytes():
            return sizes
        scale /= 2
    return small


def time_version(
    driver: Driver, placed: Placed, loaded: Loaded, version: str, configuration: Sizes, repetitions: int
) -> MeasuredVersion:
    """Median time of one version."""
    kernel, reduce = version_kernels(placed.program, version)
    work = driver.prepare(launches_of(placed, loaded, version))
    try:
        times = repeated(driver, work, repetitions) if repetitions > 1 else (driver.time(work),)
        conditions = settled(driver.conditions(), sum(times))
    finally:
        work.close()
    count = len(repeats(kernel, placed.sizes))
    flops = count * kernel.amount("flops_fp64", placed.sizes) + reduce.amount("flops_fp64", placed.sizes)
    moved = sum(kernel.amount(f"bytes_dram_{way}", placed.sizes) for way in ("read", "write"))
    row = Row(
        placed.program, kernel, loaded[kernel.name], configuration, placed.sizes, "warm", *middle_and_spread(times),
        conditions,
    )  # fmt: skip
    return MeasuredVersion(version, row, flops, count * moved)


def table_of(steps: Sequence[MeasuredVersion], driver: Driver) -> KernelTable:
    """Measured versions as a kernel table, labelled by version."""
    amounts = {
        "flops_fp64": np.array([s.flops for s in steps]),
        "bytes_compulsory": np.array([s.bytes_compulsory for s in steps]),
    }
    extra = {"label": as_text(s.version for s in steps), "step": as_text(s.row.kernel.access for s in steps)}
    rows = [s.row for s in steps]
    return kernel_table(rows, driver.info, amounts, extra, "roofcast_gpp", "roofcast measure gpp")
