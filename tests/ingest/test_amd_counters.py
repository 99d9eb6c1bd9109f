"""Counters of AMD's profilers: each amount against the formula of its counters, by hand."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amd_samples as amd
from roofcast.catalog import gpu
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import Resource
from roofcast.forecasting.forecast import forecast
from roofcast.ingest.amd.dispatches import ceilings_beside
from roofcast.ingest.readers import READERS
from roofcast.reading import read
from roofcast.rooflines.placement import view_roofline
from roofcast.rooflines.show import write_roofline


def workload(folder: Path, **files: bytes) -> Path:
    """A workload folder of rocprof-compute."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in {"pmc_perf": amd.pmc_perf(), "sysinfo": amd.SYSINFO, **files}.items():
        (folder / f"{name}.csv").write_bytes(data)
    return folder


@pytest.fixture
def gemm(tmp_path: Path) -> KernelTable:
    return read(workload(tmp_path / "MI200"))


EXPECTED = {
    "flops_fp64": 64 * (10 + 20 + 4 + 2 * 300),
    "flops_fp32": 64 * (1000 + 2000 + 500 + 2 * 30000),
    "flops_tensor_fp32": 512 * 13000,
    "flops_fp16": 64 * (7 + 8 + 1 + 2 * 9),
    "flops_tensor_fp16": 512 * 11000,
    "flops_tensor_bf16": 512 * 12000,
    "flops_tensor_fp64": 512 * 14000,
    "ops_tensor_int8": 512 * 15000,
    "ops_int32": 64 * 5000,
    "insts_fp32_fma": 64 * 30000,
    "insts_special": 64 * (4 + 500 + 1),
    "bytes_l1": 64 * 400_000,
    "bytes_l2": 128 * 90_000,
    "bytes_dram_read": 64 * (20_000 - 5_000) + 32 * 5_000,
    "bytes_dram_write": 64 * 8_000 + 32 * 1_000,
    "bytes_dram": 64 * 15_000 + 32 * 5_000 + 64 * 8_000 + 32 * 1_000,
    "bytes_shared": (70_000 - 20_000) * 4 * 32,
    "shared_bank_conflicts": 20_000,
    "l2_hit_fraction": 60_000 / 90_000,
    "threads_per_inst": 32,
    "occupancy_fraction": 160_000 / 20_000 / 32,
    "clock_hz": 300_000 / 200e-6,
    "time_s": 200e-6,
    "grid_blocks": 256,
    "block_threads": 256,
    "regs_per_thread": 96,
    "smem_bytes_per_block": 16384,
    "sm_count": 104,
    "insts_executed": 500_000,
}


@pytest.mark.parametrize(("column", "value"), EXPECTED.items())
def test_amounts_of_rocprof_compute(gemm: KernelTable, column: str, value: float) -> None:
    assert gemm.column(column)[0] == pytest.approx(value, rel=1e-12)
    assert gemm.origin_of(column)[0] in (Origin.COUNTED, Origin.DERIVED)


def test_names_identity_and_nothing_of_the_host(gemm: KernelTable) -> None:
    assert list(gemm.strings("kernel")) == ["gemm<float, 64>(float*, float const*)", "copy(double*, double*)"]
    assert list(gemm.strings("gpu")) == ["MI210"] * 2
    assert list(gemm.strings("compute_capability")) == ["gfx90a"] * 2
    assert "node7" not in repr(gemm.provenance) + str(gemm.text)
    assert gemm.flags[1] == ()


def test_cycles_of_a_short_kernel_tell_no_clock(gemm: KernelTable) -> None:
    assert np.isnan(gemm.column("clock_hz")[1])


def test_what_was_not_collected_is_absent(tmp_path: Path) -> None:
    without = {k: v for k, v in amd.MI200_COUNTERS.items() if "MUL_F64" not in k and "RDREQ_32B" not in k}
    table = read(workload(tmp_path, pmc_perf=amd.pmc_perf(without)))
    for column in ("flops_fp64", "bytes_dram_read", "bytes_dram"):
        assert np.isnan(table.column(column)).all(), column
    assert table.column("bytes_dram_write")[0] == 64 * 8_000 + 32 * 1_000


def test_lines_of_l2_follow_the_generation(tmp_path: Path) -> None:
    old = amd.SYSINFO.replace(b"MI210,gfx90a", b"MI100,gfx908")
    counters = {k: v for k, v in amd.MI200_COUNTERS.items() if "_F" not in k and "_I8" not in k and "BF16" not in k}
    table = read(workload(tmp_path / "a", pmc_perf=amd.pmc_perf(counters), sysinfo=old))
    assert table.column("bytes_l2")[0] == 64 * 90_000
    assert np.isnan(table.column("flops_fp32")).all()
    (tmp_path / "a" / "sysinfo.csv").unlink()
    alone = read(tmp_path / "a" / "pmc_perf.csv")
    assert np.isnan(alone.column("bytes_l2")).all()
    assert "--from GPU" in alone.provenance[0].notes[0]


def test_instances_are_added_up_where_no_sum_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(amd.ROCPROF_V1)
    table = read(path)
    assert table.counters["TCC_HIT_sum"][0] == 70
    assert table.column("l2_hit_fraction")[0] == pytest.approx(70 / 180)
    assert table.column("bytes_dram_read")[0] == 2048 * 1024
    assert table.column("bytes_dram_write")[0] == 1024.5 * 1024
    assert table.column("time_s")[0] == pytest.approx(15e-6)
    assert (table.column("grid_blocks")[0], table.column("smem_bytes_per_block")[0]) == (1024, 512)


def test_rocprofv3_collections(tmp_path: Path) -> None:
    path = tmp_path / "77_counter_collection.csv"
    path.write_bytes(amd.COLLECTION)
    (tmp_path / "77_agent_info.csv").write_bytes(amd.AGENTS)
    for source in (path, tmp_path):
        table = read(source)
        assert len(table) == 2
        assert list(table.strings("gpu")) == ["AMD Instinct MI300X"] * 2
        assert table.column("bytes_dram_read")[0] == 128 * 900 + 64 * 90 + 32 * 10
        assert table.column("bytes_dram_write")[0] == 64 * 400 + 32 * 100
        # Lines of one counter of one dispatch are instances of a unit.
        assert table.column("bytes_l2")[0] == 128 * 600
        assert table.column("grid_blocks")[0] == 1024
        assert table.column("regs_per_thread")[0] == 16
        assert table.column("time_s")[1] == pytest.approx(9e-6)


def test_passes_one_after_the_other_are_not_added_up(tmp_path: Path) -> None:
    path = tmp_path / "both.csv"
    path.write_bytes(amd.COLLECTION + amd.COLLECTION_HEAD + amd.collection_line(1, "TCC_REQ", 999))
    table = read(path)
    assert len(table) == 2
    assert table.counter("TCC_REQ")[0] == 600


def test_times_of_a_trace_beside_a_collection(tmp_path: Path) -> None:
    header, *lines = amd.COLLECTION.decode().splitlines()
    cut = "\n".join(line.rsplit(",", 2)[0] for line in (header, *lines)) + "\n"
    (tmp_path / "r_counter_collection.csv").write_text(cut)
    (tmp_path / "r_kernel_trace.csv").write_text(
        '"Kind","Agent_Id","Dispatch_Id","Kernel_Name","Start_Timestamp","End_Timestamp"\n'
        '"KERNEL_DISPATCH",4,2,"scale",1000,8000\n"KERNEL_DISPATCH",4,1,"scale",100,5100\n'
    )
    assert read(tmp_path).column("time_s") == pytest.approx([5e-6, 7e-6])


def test_listing_in_the_layout_of_ncu(tmp_path: Path) -> None:
    path = tmp_path / "listing.csv"
    path.write_bytes(amd.LISTING)
    table = read(path)
    assert table.column("bytes_dram")[0] == pytest.approx(8545223000 + 6175734000)
    assert table.column("time_s")[0] == pytest.approx(0.076648267)
    assert np.isnan(table.column("flops_fp64")).all()


def test_mi300_without_counts_of_long_reads_has_no_bytes(tmp_path: Path) -> None:
    path = tmp_path / "c_counter_collection.csv"
    path.write_bytes(b"".join(line for line in amd.COLLECTION.splitlines(keepends=True) if b"BUBBLE" not in line))
    assert np.isnan(read(path).column("bytes_dram")).all()


def test_forecast_from_and_to_amd(gemm: KernelTable) -> None:
    found = forecast(gemm, to=["MI210", "MI300X", "H100 SXM5 80GB"])
    assert found.estimate.time_s[:, 0] == pytest.approx(gemm.column("time_s"), rel=1e-9)
    assert np.isfinite(found.estimate.time_s).all()


def test_folders_of_several_runs(tmp_path: Path) -> None:
    workload(tmp_path / "a" / "MI200")
    workload(tmp_path / "b" / "MI200", timestamps=amd.pmc_perf({"SQ_WAVES": (1, 1)}))
    (tmp_path / "b" / "README.md").write_text("# notes\n")
    table = read(tmp_path)
    assert len(table) == 4
    assert sorted(set(table.strings("source_file"))) == ["pmc_perf.csv", "pmc_perf.csv (2)"]
    assert "1 of 3 files left out" in " ".join(n for p in table.provenance for n in p.notes)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty folder"):
        read(tmp_path / "empty")


@pytest.mark.parametrize("chip", ["mi100", "mi200", "mi300a"])
def test_real_copy_moves_eight_megabytes_each_way(chip: str, fixtures_dir: Path) -> None:
    path = next((fixtures_dir / "rocprof_compute").glob(f"{chip}*pmc-perf.csv"))
    table = read(path)
    assert len(table) == 3
    # The kernel copies 1,048,576 doubles; later launches find some of them in caches.
    assert table.column("bytes_dram_read")[0] == pytest.approx(8 * 2**20, rel=0.003)
    assert table.column("bytes_dram_write")[0] == 8 * 2**20
    assert (table.column("grid_blocks") == 4096).all()
    assert (table.column("threads_per_inst") == 64).all()
    assert (table.column("occupancy_fraction") < 1).all()
    assert table.strings("gpu")[0].startswith("MI")
    assert np.isfinite(forecast(table, to="MI300X").estimate.time_s).all()


def test_ceilings_measured_beside_the_profile(tmp_path: Path) -> None:
    found = ceilings_beside(workload(tmp_path, roofline=amd.ROOFLINE) / "pmc_perf.csv")
    assert found[Resource.BYTES_DRAM].per_s == pytest.approx(1385e9)
    assert found[Resource.BYTES_L2].relative_uncertainty == pytest.approx(30 / 5020)
    assert found[Resource.FLOPS_TENSOR_FP16].per_s == pytest.approx(165.1e12)
    assert Resource.FLOPS_TENSOR_FP64 not in found
    assert ceilings_beside(tmp_path / "elsewhere" / "pmc_perf.csv") == {}


@pytest.mark.slow
def test_roofline_of_a_folder_uses_them_and_shows_the_catalog_beside(tmp_path: Path) -> None:
    folder = workload(tmp_path, roofline=amd.ROOFLINE)
    (panel,) = view_roofline(read(folder)).panels
    roofs = {r.resource: r.per_s for r in panel.memory}
    assert roofs[Resource.BYTES_DRAM] == pytest.approx(1385e9)
    assert {r.resource: r.per_s for r in panel.beside}[Resource.BYTES_DRAM] == gpu("MI210").rate(Resource.BYTES_DRAM)
    assert any("the catalog has" in note for note in panel.notes)
    write_roofline(view_roofline(read(folder)), str(tmp_path / "r.svg"))
    assert "catalog's roof" in (tmp_path / "r.svg").read_text()
    (folder / "roofline.csv").unlink()
    assert view_roofline(read(folder)).panels[0].beside == ()


def test_passes_of_rocprofv3_make_one_table(tmp_path: Path) -> None:
    lines = amd.COLLECTION.splitlines(keepends=True)
    for number, kept in ((1, b"TCC_"), (2, b"SQ_")):
        folder = tmp_path / f"pass_{number}"
        folder.mkdir()
        data = b"".join([lines[0], *(line for line in lines[1:] if kept in line)])
        (folder / f"{number}7_counter_collection.csv").write_bytes(data)
    table = read(tmp_path)
    assert len(table) == 2
    assert {"SQ_WAVES", "TCC_REQ"} <= set(table.counters)
    assert table.column("bytes_dram_write")[0] == 64 * 400 + 32 * 100
    assert set(read(tmp_path / "pass_2").counters) == {"SQ_WAVES"}


def test_raw_files_below_a_workload_are_not_read_twice(tmp_path: Path) -> None:
    folder = workload(tmp_path / "MI200")
    (folder / "out" / "pmc_1").mkdir(parents=True)
    (folder / "out" / "pmc_1" / "1_counter_collection.csv").write_bytes(amd.COLLECTION)
    (folder / "SQ_LEVEL_WAVES.csv").write_bytes(amd.pmc_perf())
    assert len(read(tmp_path)) == 2


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["sysinfo.csv", "timestamps.csv", "roofline.csv", "x_agent_info.csv", "x_kernel_trace.csv"]),
    st.sampled_from([amd.SYSINFO, amd.ROOFLINE, amd.AGENTS, amd.COLLECTION, b""]),
    st.binary(max_size=60),
    st.integers(0, 400),
)
def test_damaged_files_beside_a_profile_change_nothing_but_what_they_say(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: bytes, noise: bytes, at: int
) -> None:
    folder = tmp_path_factory.mktemp("beside")
    (folder / "pmc_perf.csv").write_bytes(amd.pmc_perf())
    (folder / "x_counter_collection.csv").write_bytes(amd.COLLECTION)
    (folder / name).write_bytes(data[:at] + noise + data[at:])
    for file in ("pmc_perf.csv", "x_counter_collection.csv"):
        table = read(folder / file)
        assert len(table) == 2
        assert all(str(g).isprintable() for g in table.strings("gpu"))
    ceilings_beside(folder / "pmc_perf.csv")


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.sampled_from([amd.pmc_perf(), amd.ROCPROF_V1, amd.COLLECTION, amd.LISTING]), st.data())
def test_damaged_counter_files(data: bytes, draw: st.DataObject) -> None:
    out = bytearray(data)
    for _ in range(draw.draw(st.integers(1, 5))):
        at = draw.draw(st.integers(0, len(out)))
        piece = draw.draw(st.sampled_from([b"", b'"', b",,", b"\n", b"\0", b"nan", b"-1", b"9" * 400, b"\xff", b"inf"]))
        out[at : at + draw.draw(st.integers(0, 60))] = piece
    for reader in ("rocprof-compute", "rocprof-results", "rocprof-counters"):
        stream = io.BytesIO(bytes(out))
        refusal = ""
        try:
            table = READERS[reader].load().read(stream, "odd\nname.csv")
        except InputError as error:
            refusal = str(error)
        assert refusal.isprintable()
        if refusal:
            continue
        assert len(table) > 0
        for values in table.numeric.values():
            assert not (values < 0).any()
            assert not np.isinf(values).any()
