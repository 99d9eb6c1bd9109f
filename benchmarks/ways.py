"""Ways to compute forecasts, each with its forecasts per processor second.

    python benchmarks/ways.py              all of them
    python benchmarks/ways.py pandas       one of them

Times are processor seconds, so that other work on the machine does not count; each is the least of a few runs.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "tests")]

from test_model_speed import COLUMNS, HYBRID_TARGETS, SOURCE, TARGETS, kernels, loop, profiled  # noqa: E402

from roofcast.catalog import find, processors  # noqa: E402
from roofcast.core.kernel_table import KernelTable, concatenate  # noqa: E402
from roofcast.core.machines import Machines  # noqa: E402
from roofcast.core.resource import Resource  # noqa: E402
from roofcast.core.results import Conditions  # noqa: E402
from roofcast.models.registry import load_model  # noqa: E402
from roofcast.sweeps.chunks import CHUNK, sweep  # noqa: E402
from roofcast.sweeps.space import Space, parse_space  # noqa: E402
from roofcast.sweeps.sums import add_up  # noqa: E402
from roofcast.sweeps.workload import Workload, prepare  # noqa: E402
from sweep_builders import a_table  # noqa: E402 - beside the checkout's tests

RUNS = 3
FEW, MANY = 100, 20_000
"""Kernels of the ways that go one by one, and of the others."""


def least(run: Callable[[], object], runs: int = RUNS) -> float:
    """Least processor seconds of some runs."""
    found = []
    for _ in range(runs):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


@cache
def few_and_many() -> tuple[KernelTable, KernelTable]:
    """The kernels of all ways but the sweeps'."""
    return kernels(FEW), kernels(MANY)


def few_rows() -> list[dict[str, float]]:
    """The few kernels as plain numbers."""
    table = few_and_many()[0]
    return [{name: float(table.column(name)[i]) for name in COLUMNS} for i in range(len(table))]


def script_way() -> float:
    """The published script's way: CSV, row by row, one pair at a time."""
    source, targets = find(SOURCE).processor, [find(n).processor for n in TARGETS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.csv"
        pd.DataFrame(few_rows()).to_csv(path, index=False)

        def run() -> float:
            return sum(loop([row], source, targets) for _, row in pd.read_csv(path).iterrows())

        return FEW * len(targets) / least(run)


def loop_way() -> float:
    """The same in a scalar loop over plain numbers."""
    rows, source, targets = few_rows(), find(SOURCE).processor, [find(t).processor for t in TARGETS]
    return FEW * len(targets) / least(lambda: loop(rows, source, targets))


def pandas_way() -> float:
    """The same on the cross join of kernels and GPUs, as one writes it with pandas."""
    table = few_and_many()[1]
    frame, gpus = pd.DataFrame({name: table.column(name) for name in COLUMNS}), gpu_frame(TARGETS)
    return len(frame) * len(gpus) / least(lambda: crossed(frame, gpus))


def crossed(frame: pd.DataFrame, gpus: pd.DataFrame) -> float:
    """The report's Algorithm 1 on every pair."""
    pairs = frame.merge(gpus, how="cross", suffixes=("", "_gpu"))
    warps = np.ceil(pairs["block_threads"] / 32)

    def occupancy(prefix: str) -> pd.Series:
        blocks = pd.concat(
            [
                pairs[f"{prefix}max_blocks"],
                pairs[f"{prefix}max_threads"] // pairs["block_threads"],
                pairs[f"{prefix}regs"] // (pairs["regs_per_thread"] * pairs["block_threads"]),
                (pairs[f"{prefix}smem"] // pairs["smem_bytes_per_block"]).where(pairs["smem_bytes_per_block"] > 0),
            ],
            axis=1,
        )
        return (blocks.where(blocks > 0).min(axis=1) * warps / (pairs[f"{prefix}max_threads"] // 32)).clip(upper=1.0)

    intensity = pairs["flops_fp32"] / pairs["bytes_dram"]
    roofs = {p: np.minimum(pairs[f"{p}fp32"], intensity * pairs[f"{p}dram"]) for p in ("s_", "t_")}
    efficiency = pairs["flops_fp32"] / pairs["time_s"] / (occupancy("s_") * roofs["s_"])
    return float((pairs["flops_fp32"] / (efficiency * occupancy("t_") * roofs["t_"])).sum())


def gpu_frame(names: Sequence[str]) -> pd.DataFrame:
    """Source and targets of the pandas way."""

    def of(p: Any, prefix: str) -> dict[str, float]:
        return {
            f"{prefix}max_blocks": p.max_blocks_per_sm or 32, f"{prefix}max_threads": p.max_threads_per_sm or 2048,
            f"{prefix}regs": p.regs_per_sm or 65536, f"{prefix}smem": p.smem_per_sm_bytes or 65536,
            f"{prefix}fp32": p.rate(Resource.FLOPS_FP32), f"{prefix}dram": p.rate(Resource.BYTES_DRAM),
        }  # fmt: skip

    source = find(SOURCE).processor
    return pd.DataFrame([of(source, "s_") | of(find(n).processor, "t_") for n in names])


def model_seconds(name: str, table: KernelTable, targets: Sequence[Any]) -> float:
    """Processor seconds of a model."""
    model = load_model(name)
    here = Machines.of([find(SOURCE).processor], np.zeros(len(table), np.intp))
    there = Machines.of(targets, np.arange(len(targets), dtype=np.intp)[None, :])
    return least(lambda: model.estimate(table, here, there, Conditions()))


def model_way(name: str) -> float:
    """A model of roofcast."""
    table, targets = few_and_many()[1], [find(t).processor for t in TARGETS]
    return len(table) * len(targets) / model_seconds(name, table, targets)


def a_grid(processors_wanted: int) -> Space:
    """SMs x clock x DRAM x L2 x FP64 around an H100."""
    dram = max(2, round(processors_wanted / (16 * 12 * 8 * 2)))
    return parse_space({
        "base": "H100 SXM5 80GB",
        "axes": {
            "sm": {"from": 100, "to": 160, "step": 4}, "clock": {"from": "1.2 GHz", "to": "2.2 GHz", "count": 12},
            "dram": {"from": "2 TB/s", "to": "8 TB/s", "count": dram},
            "l2": {"from": "30 MB", "to": "120 MB", "count": 8}, "fp64": ["30 TFLOP/s", "60 TFLOP/s"],
        },
        "cost": "sm + dram/1e11",
    })  # fmt: skip


def a_workload(count: int, space: Space) -> Workload:
    """Kernels of all kinds of evidence."""
    parts = [a_table(e, count // 4, i) for i, e in enumerate(("stalls", "counters", "analytic", "time"))]
    return prepare(concatenate(parts), space.base)


def default_way() -> float:
    """The default model on kernels with stall reasons, which its trees look at."""
    table, targets = profiled(5000), [find(t).processor for t in HYBRID_TARGETS]
    here = Machines.of([find("A100-SXM4-40GB").processor], np.zeros(len(table), np.intp))
    there = Machines.of(targets, np.arange(len(targets), dtype=np.intp)[None, :])
    model = load_model("hybrid")
    return len(table) * len(targets) / least(lambda: model.estimate(table, here, there, Conditions()))


def polars_way() -> float:
    """Algorithm 1 on the cross join of kernels and GPUs, as one writes it with Polars."""
    table = few_and_many()[1]
    frame = pl.DataFrame({name: table.column(name) for name in COLUMNS})
    gpus = pl.DataFrame(gpu_frame(TARGETS).to_dict("list"))

    def occupancy(prefix: str) -> pl.Expr:
        warps = (pl.col("block_threads") / 32).ceil()
        blocks = pl.min_horizontal(
            pl.col(f"{prefix}max_blocks"),
            pl.col(f"{prefix}max_threads") // pl.col("block_threads"),
            pl.col(f"{prefix}regs") // (pl.col("regs_per_thread") * pl.col("block_threads")),
            pl.when(pl.col("smem_bytes_per_block") > 0).then(pl.col(f"{prefix}smem") // pl.col("smem_bytes_per_block")),
        )
        return (blocks * warps / (pl.col(f"{prefix}max_threads") // 32)).clip(upper_bound=1.0)

    intensity = pl.col("flops_fp32") / pl.col("bytes_dram")
    roofs = [pl.min_horizontal(f"{p}fp32", intensity * pl.col(f"{p}dram")) for p in ("s_", "t_")]
    efficiency = pl.col("flops_fp32") / pl.col("time_s") / (occupancy("s_") * roofs[0])
    seconds = (pl.col("flops_fp32") / (efficiency * occupancy("t_") * roofs[1])).sum()
    pairs = frame.lazy().join(gpus.lazy(), how="cross").select(seconds)
    return len(frame) * len(gpus) / least(pairs.collect)


def pyarrow_way() -> float:
    """Algorithm 1 on the cross join of kernels and GPUs, as one writes it with the kernels of Arrow."""
    table = few_and_many()[1]
    gpus = gpu_frame(TARGETS).to_dict("list")
    n, m = len(table), len(TARGETS)
    rows, columns = pa.array(np.repeat(np.arange(n), m)), pa.array(np.tile(np.arange(m), n))
    kernels = {name: pa.array(table.column(name)) for name in COLUMNS}
    others = {name: pa.array(np.asarray(values, np.float64)) for name, values in gpus.items()}

    def run() -> float:
        pairs = {name: values.take(rows) for name, values in kernels.items()}
        pairs |= {name: values.take(columns) for name, values in others.items()}
        block, smem = pairs["block_threads"], pairs["smem_bytes_per_block"]

        def whole(a: Any, b: Any) -> Any:
            return pc.floor(pc.divide(a, b))

        def occupancy(prefix: str) -> Any:
            shared = pc.if_else(pc.greater(smem, 0.0), whole(pairs[f"{prefix}smem"], smem), None)
            blocks = pc.min_element_wise(
                pairs[f"{prefix}max_blocks"],
                whole(pairs[f"{prefix}max_threads"], block),
                whole(pairs[f"{prefix}regs"], pc.multiply(pairs["regs_per_thread"], block)),
                shared,
            )
            warps = pc.multiply(blocks, pc.ceil(pc.divide(block, 32.0)))
            return pc.min_element_wise(pc.divide(warps, pc.divide(pairs[f"{prefix}max_threads"], 32.0)), 1.0)

        intensity = pc.divide(pairs["flops_fp32"], pairs["bytes_dram"])
        roofs = [
            pc.min_element_wise(pairs[f"{p}fp32"], pc.multiply(intensity, pairs[f"{p}dram"])) for p in ("s_", "t_")
        ]
        reached = pc.divide(pc.divide(pairs["flops_fp32"], pairs["time_s"]), pc.multiply(occupancy("s_"), roofs[0]))
        there = pc.multiply(reached, pc.multiply(occupancy("t_"), roofs[1]))
        return float(pc.sum(pc.divide(pairs["flops_fp32"], there)).as_py())

    return n * m / least(run)


def catalog_way(name: str) -> float:
    """A model on 1,000 kernels with stall reasons and 500 GPUs of the catalog."""
    table, targets = profiled(1000), [p for p in processors() if p.is_gpu][:500]
    here = Machines.of([find("A100-SXM4-40GB").processor], np.zeros(len(table), np.intp))
    there = Machines.of(targets, np.arange(len(targets), dtype=np.intp)[None, :])
    model = load_model(name)
    return len(table) * len(targets) / least(lambda: model.estimate(table, here, there, Conditions()))


def parquet_way() -> float:
    """The command line, 1,000 kernels on 500 GPUs to a Parquet file."""
    return command_line_way([p.key for p in processors() if p.is_gpu][:500], "forecasts.parquet")


def command_line_way(targets: Sequence[str] = TARGETS, output: str = "forecasts.csv") -> float:
    """The command line, from a CSV table to a file of forecasts."""
    table = few_and_many()[1].select(np.arange(1000))
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "kernels.csv", Path(folder) / output
        columns = {"kernel": [f"k{i}" for i in range(len(table))], "gpu": SOURCE}
        pl.DataFrame(columns | {name: table.column(name) for name in COLUMNS}).write_csv(path)
        command = [sys.executable, "-m", "roofcast", "forecast", str(path), "--to", ",".join(targets), "-o", str(out)]
        found = []
        for _ in range(2):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return float(len(table) * len(targets) / min(found))


def reduced_way() -> float:
    """A sweep, reduced."""
    space = a_grid(200_000)
    work = a_workload(64, space)
    levels = np.ascontiguousarray(space.levels_of(0, CHUNK))
    return float(len(work) * levels.shape[1] / least(lambda: add_up(work, space, levels)))


def streamed_way() -> float:
    """A sweep, every forecast to Parquet."""
    space = a_grid(200_000)
    work = a_workload(64, space)
    few, many = replace(space, sample=1000), replace(space, sample=21_000)
    with tempfile.TemporaryDirectory() as folder:
        runs = iter(range(100))
        seconds = [least(lambda s=s: sweep(work, s, Path(folder) / str(next(runs))), 2) for s in (few, many)]  # type: ignore[misc]  # bound now
    return len(work) * 20_000 / (seconds[1] - seconds[0])


@dataclass(frozen=True)
class Way:
    """A way and what it is."""

    label: str
    per_s: Callable[[], float]
    """Forecasts per processor second."""


WAYS = {
    "script": Way("Algorithm 1 of the cross-GPU report, row by row as published", script_way),
    "loop": Way("in a loop over plain numbers", loop_way),
    "pandas": Way("in pandas, a cross join", pandas_way),
    "polars": Way("in Polars, a lazy cross join", polars_way),
    "pyarrow": Way("in pyarrow, columns taken", pyarrow_way),
    "van_lanker": Way("roofcast, model van_lanker", lambda: model_way("van_lanker")),
    "occupancy": Way("roofcast, model occupancy_efficiency", lambda: model_way("occupancy_efficiency")),
    "mechanistic": Way("roofcast, model mechanistic", lambda: model_way("mechanistic")),
    "default": Way("roofcast, default model, stall reasons", default_way),
    "catalog": Way("roofcast, model mechanistic, the catalog", lambda: catalog_way("mechanistic")),
    "catalog default": Way("roofcast, default model, the catalog", lambda: catalog_way("hybrid")),
    "file": Way("command line, CSV to CSV", command_line_way),
    "parquet": Way("command line, CSV to Parquet", parquet_way),
    "reduced": Way("sweep, reduced", reduced_way),
    "streamed": Way("sweep, all to Parquet as float32", streamed_way),
}

if __name__ == "__main__":
    for name in sys.argv[1:] or WAYS:
        sys.stdout.write(f"{name:12} {WAYS[name].per_s():10.3g} forecasts per processor second: {WAYS[name].label}\n")
