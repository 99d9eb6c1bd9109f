"""Write examples/convolution.csv: a dozen tuning configurations of one convolution on two GPUs.

Counters and times on the RTX 2080 Ti, times on the RTX 3090, from the public Kernel Tuner / KTT data (see
docs/data.md). The selection is a rule, not a choice: configurations that ran on both GPUs, sorted by their time on
the RTX 2080 Ti, one from the middle of each twelfth.

Usage: python tools/demo_table.py FOLDER_OF_THE_DATA_SETS
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

SOURCE, TARGET = "RTX 2080 Ti", "RTX 3090"
ROWS = 12
COUNTERS = [
    *("smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"),
    *("smsp__inst_executed.sum", "smsp__thread_inst_executed_per_inst_executed.ratio"),
    *("dram__sectors_read.sum", "dram__sectors_write.sum", "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"),
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__sass_thread_inst_executed_op_memory_pred_on.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
]
KEPT = [
    *("kernel", "config", "gpu", "time_s", "grid_blocks", "block_threads", "regs", "smem_per_block"),
    *(f"ncu_{counter}" for counter in COUNTERS),
    *("flops", "precision"),
]


def main(data: Path) -> None:
    """Select and write the table."""
    frame = pl.read_csv(data / "kernel_tuner" / "ktt_2gpu_counters.csv.gz")
    frame = frame.filter(pl.col("kernel") == "ktt/convolution")
    source = frame.filter((pl.col("gpu") == SOURCE) & (pl.col("ncu_dram__sectors_read.sum") > 0))
    both = source.join(frame.filter(pl.col("gpu") == TARGET).select("config", target="time_s"), on="config")
    both = both.sort("time_s", "config")
    picked = both[[(2 * i + 1) * both.height // (2 * ROWS) for i in range(ROWS)]].select("config", "target")
    order = {config: i for i, config in enumerate(picked["config"])}
    rows = frame.join(picked, on="config").with_columns(at=pl.col("config").replace_strict(order))
    table = rows.sort(pl.col("gpu") != SOURCE, "at").select(KEPT)
    out = Path(__file__).parents[1] / "examples" / "convolution.csv"
    table.write_csv(out)
    print(f"{table.height} rows, {table.width} columns -> {out.name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
