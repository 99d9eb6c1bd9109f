"""Sizes and access patterns that a kernel table gives in words."""

from __future__ import annotations

import io

import numpy as np
import pytest

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.ingest.tables import launch_table as table
from roofcast.ingest.tables.launch_table import useful_bytes


def read(*lines: str) -> KernelTable:
    return table.read(io.BytesIO("\n".join(lines).encode()), "t.csv")


def test_a_configuration_that_one_gpu_lacks_is_composed_from_its_columns() -> None:
    found = read(
        "kernel,config,gpu,time_s,block_threads,N,iters",
        "saxpy,N=1024;block=256;iters=0.0,a,1e-3,256,1024,0",
        "saxpy,,b,2e-3,256,1024,",
        "saxpy,,b,2e-3,128,2048,5",
    )
    assert list(found.strings("config")) == [
        "N=1024;block=256;iters=0.0", "N=1024;block=256;iters=0.0", "N=2048;block=128;iters=5.0",
    ]  # fmt: skip


@pytest.mark.parametrize("config", ["fast", "N=1024;mode=slow", "N=;block=256", "rows=4", "N=nan;block=256"])
def test_other_configurations_leave_the_gaps(config: str) -> None:
    found = read(
        "kernel,config,time_s,block_threads,N", f"saxpy,{config},1e-3,256,1024", "saxpy,,2e-3,256,1024"
    )  # fmt: skip
    assert list(found.strings("config")) == [config, ""]


def test_sizes_that_no_row_states_make_no_configuration() -> None:
    found = read("kernel,config,time_s,N", "saxpy,N=1024,1e-3,1024", "saxpy,,2e-3,")
    assert list(found.strings("config")) == ["N=1024", ""]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("coalesced", (32.0, 32.0)), ("strided_8", (4.0, 4.0)), ("stride_2", (16.0, 16.0)), ("stride_0", (32.0, 32.0)),
        ("random_gather", (4.0, 32.0)), ("transpose_naive", (32.0, 4.0)), ("transpose_tiled", (32.0, 32.0)),
        ("smem_bank_conflict", None), ("", None),
    ],
)  # fmt: skip
def test_access_patterns(pattern: str, expected: tuple[float, float] | None) -> None:
    assert useful_bytes(pattern) == expected


def test_patterns_fill_what_no_counter_gave() -> None:
    found = read(
        "kernel,time_s,mem_pattern,gld_bytes_per_sector",
        "a,1e-3,strided_8,", "b,1e-3,strided_8,20", "c,1e-3,unheard of,",
    )  # fmt: skip
    np.testing.assert_array_equal(found.column("bytes_per_sector_load"), [4, 20, np.nan])
    np.testing.assert_array_equal(found.column("bytes_per_sector_store"), [4, 4, np.nan])
    assert found.origin_of("bytes_per_sector_load").tolist() == [Origin.DERIVED, Origin.COUNTED, Origin.ABSENT]


def test_shares_of_instructions_have_columns() -> None:
    found = read(
        "kernel,time_s,atomic_inst_frac,spill_inst_frac,shared_wavefronts_per_inst,shared_bank_conflicts_per_wave,"
        "issue_to_exec,thread_inst_per_thread,p_block_size_x",
        "a,1e-3,0.01,0.02,0.3,0.1,1.5,300,16",
    )
    values = {name: float(found.column(name)[0]) for name in (
        "atomic_inst_fraction", "local_inst_fraction", "shared_wavefronts_per_inst", "shared_conflicts_per_wavefront",
        "issues_per_inst", "insts_per_thread", "block_threads_x",
    )}  # fmt: skip
    assert list(values.values()) == [0.01, 0.02, 0.3, 0.1, 1.5, 300, 16]
    assert not set(found.extra) & {"atomic_inst_frac", "p_block_size_x"}
