"""Small processors, tables and forecasts for the tests of reports, built by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Domain, Kind, Processor, Supply
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.forecasting.clocks import source_clocks
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.prepared import Prepared
from roofcast.forecasting.several_sources import SameWork
from roofcast.reports.ask import Forecasted
from roofcast.rooflines import placement
from roofcast.rooflines.view import RooflineView

HOSTILE = [
    "</script><img src=x onerror=alert(1)>", "<!--<script>", "$x^{2}$ \\frac{1}{2} $", "\x1b[31mred\x07", "", " ",
    "\u202eevil",     "=cmd|' /C calc'!A0", "a" * 9000,
    "<<<<>>>>((((", "\ud800", "核心" * 40, "{{7*7}}", "&lt;b&gt;", "\\u003c/script", "'\"`",
]  # fmt: skip


def processor(name: str, dram: float, l2: float, l1: float, fp64: float, *, estimated: bool = False) -> Processor:
    """A GPU with three bandwidths (B/s) and FP64 / FP32 peaks at its boost clock of 1.5 GHz."""
    kind = Kind.ESTIMATED if estimated else Kind.MEASURED

    def supply(rate: float, domain: Domain) -> Supply:
        return Supply(rate, kind, "test", 0.1 if estimated else 0.0, rate, domain, 1.5e9)

    supplies = {
        Resource.BYTES_DRAM: supply(dram, Domain.MEMORY),
        Resource.BYTES_L2: supply(l2, Domain.SM),
        Resource.BYTES_L1: supply(l1, Domain.SM),
        Resource.BYTES_SHARED: supply(l1, Domain.SM),
        Resource.FLOPS_FP64: supply(fp64, Domain.SM),
        Resource.FLOPS_FP32: supply(2 * fp64, Domain.SM),
    }
    return Processor(
        key=name, name=name, vendor="NVIDIA", architecture="sm_70", sm_count=80, warp_size=32, clock_hz_boost=1.5e9,
        supplies=supplies,
    )  # fmt: skip


SOURCE = processor("Source GPU", 846e9, 2460e9, 13963e9, 6890e9)
TARGET = processor("Target GPU", 1678e9, 4710e9, 19492e9, 9476e9, estimated=True)


def table(names: Sequence[str], seed: int = 1, file: str = "run.ncu-rep", **replaced: Sequence[float]) -> KernelTable:
    """Kernels with random but possible amounts: no level and no pipe is faster than SOURCE."""
    n = len(names)
    random = np.random.default_rng(seed)
    dram = 10 ** random.uniform(6, 9.5, n)
    l2 = dram * random.uniform(1, 5, n)
    l1 = l2 * random.uniform(1, 5, n)
    flops = dram * 10 ** random.uniform(-1.5, 2, n)
    serial = dram / 846e9 + (l2 - dram) / 2460e9 + (l1 - l2) / 13963e9 + flops / 3e12
    numeric: dict[str, ArrayLike] = {
        "time_s": serial / random.uniform(0.2, 0.95, n), "launch": range(n), "clock_hz": [1.5e9] * n,
        "flops_fp64": flops, "insts_fp64_fma": flops * 0.35, "insts_fp64_add": flops * 0.3, "insts_fp64_mul": [0.0] * n,
        "bytes_l1": l1, "bytes_l2": l2, "bytes_dram": dram, "threads_per_inst": [32.0] * n,
    }  # fmt: skip
    text = {"kernel": list(names), "gpu": ["Source GPU"] * n, "source_file": [file] * n}
    columns = {k: (np.asarray(v, np.float64), Origin.COUNTED) for k, v in {**numeric, **replaced}.items()}
    return KernelTable.from_columns(text, columns)


def forecast(kernels: KernelTable, targets: Sequence[Processor] = (TARGET,), speedup: float = 2.0) -> Forecasted:
    """Every kernel ``speedup`` times faster, interval 0.8 to 1.3 of it."""
    n, m = len(kernels), len(targets)
    time = np.repeat(kernels.column("time_s")[:, None] / speedup, m, axis=1)
    dram, l2 = kernels.column("bytes_dram"), kernels.column("bytes_l2")
    there = {Resource.BYTES_DRAM: dram / 846e9, Resource.BYTES_L2: l2 / 2460e9}
    here = {r: np.repeat(v[:, None] / 2, m, axis=1) for r, v in there.items()}
    reasons = np.full((n, m), "", dtype=np.object_)
    estimate = Estimate(time, time * 0.8, time * 1.3, 0.9, there, here, reasons)
    ready = prepared(kernels, (SOURCE,) * n)
    return Forecasted(kernels, (SOURCE,) * n, tuple(targets), "test_model", Conditions(), estimate, prepared=ready)


def prepared(kernels: KernelTable, sources: Sequence[Processor | None]) -> Prepared:
    """What a forecast of kernels on hand-made GPUs rests on."""
    processors = tuple({p.name: p for p in sources if p}.values())
    index = np.array([processors.index(p) if p else -1 for p in sources], dtype=np.intp)
    n = len(kernels)
    clocks = source_clocks(kernels, processors, index)
    return Prepared(
        kernels, processors, index, clocks, clocks, Conditions(), None,
        SameWork((), np.zeros(n, np.bool_)), ((),) * n, ((),) * n, (), "",
    )  # fmt: skip


def build_roofline(
    kernels: KernelTable, sources: Sequence[Processor | None], made: Forecast | None = None
) -> RooflineView:
    """The roofline of hand-made kernels."""
    return placement.build_roofline(kernels, sources, made, prepared=prepared(kernels, sources))
