from __future__ import annotations

import gzip
import io
import time
from pathlib import Path

import numpy as np
import pytest

from roofcast import reading
from roofcast.core.columns import ALL_NUMERIC, TEXT_COLUMNS, Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable
from roofcast.ingest.tables import frame
from roofcast.ingest.tables import launch_table as table
from roofcast.ingest.tables.spellings import MEANINGS, TEXTS, meanings_of
from text_samples import TABLE, long_csv


def read(data: str | bytes, name: str = "t.csv") -> KernelTable:
    return table.read(io.BytesIO(data.encode() if isinstance(data, str) else data), name)


def one(header: str, cell: str, more: str = "") -> KernelTable:
    return read(f"kernel,time_s,{header}\nk,1e-3,{cell}\n{more}")


def test_a_table_in_the_wild() -> None:
    found = read(TABLE)
    assert list(found.strings("kernel")) == ["saxpy", "gemm"]
    np.testing.assert_allclose(found.column("time_s"), [0.5e-3, 1.25e-3])
    np.testing.assert_array_equal(found.column("regs_per_thread"), [16, np.nan])
    np.testing.assert_array_equal(found.column("l2_hit_fraction"), [0.555, np.nan])
    np.testing.assert_array_equal(found.column("flops_fp32"), [2000, np.nan])
    np.testing.assert_array_equal(found.column("flops_tensor_bf16"), [np.nan, 4000])
    assert list(found.column("bytes_dram")) == [1e6, 2e6]
    assert list(found.counter("dram__bytes.sum")) == [1e6, 2e6]
    assert list(found.extra["colour"]) == ["red", "blue"]
    assert found.flags == ((), ())


@pytest.mark.parametrize("column", sorted(ALL_NUMERIC))
def test_every_column_of_the_vocabulary_is_read_as_it_is(column: str) -> None:
    found = read(f"kernel,time_s,{column}\nk,0.5,0.25\n") if column != "time_s" else read("kernel,time_s\nk,0.25\n")
    assert found.column(column)[0] == (0 if column == "launch" else 0.25)


@pytest.mark.parametrize("column", sorted(TEXT_COLUMNS))
def test_every_text_column_is_read_as_it_is(column: str) -> None:
    cell = "(8, 2, 1)" if column in ("grid", "block") else "some"
    extra = "" if column == "kernel" else ",kernel"
    found = read(f'time_s,{column}{extra}\n1,"{cell}"{",k" if extra else ""}\n')
    assert found.strings(column)[0] == cell


@pytest.mark.parametrize(
    ("header", "cell", "column", "value"),
    [
        ("regs", "32", "regs_per_thread", 32),
        ("smem_per_block", "1024", "smem_bytes_per_block", 1024),
        ("occupancy_pct", "75", "occupancy_fraction", 0.75),
        ("occupancy", "75", "occupancy_fraction", 0.75),
        ("occupancy", "0.75", "occupancy_fraction", 0.75),
        ("occupancy_achieved", "0.75", "occupancy_fraction", 0.75),
        ("l1_hit [%]", "40", "l1_hit_fraction", 0.4),
        ("l1_hit_fraction", "0.4", "l1_hit_fraction", 0.4),
        ("thread_inst_executed", "64", "insts_thread", 64),
        ("int_ops", "64", "ops_int32", 64),
        ("core_MHz", "1600", "clock_hz", 1.6e9),
        ("mem_MHz", "4000", "clock_hz_dram", 4e9),
        ("clock_hz", "1.6e9", "clock_hz", 1.6e9),
        ("power_W", "200", "power_w", 200),
        ("dram_read_transactions_32B", "10", "bytes_dram_read", 320),
        ("dram_read_transactions", "10", "bytes_dram_read", 320),
        ("flops_sp_special", "64", "insts_special", 2),
        ("inst_executed_warp", "64", "insts_executed", 64),
        ("warp_exec_efficiency", "0.5", "threads_per_inst", 16),
        ("warp_execution_efficiency_pct", "50", "threads_per_inst", 16),
        ("threads_per_inst", "30.5", "threads_per_inst", 30.5),
        ("gld_bytes_per_sector", "27.5", "bytes_per_sector_load", 27.5),
        ("gld_efficiency_pct", "50", "bytes_per_sector_load", 16),
        ("branch_efficiency_pct", "90", "divergent_branch_fraction", 0.1),
        ("long_scoreboard_stall_ratio", "4.5", "stall_long_scoreboard_per_inst", 4.5),
        ("working_set_bytes", "4096", "working_set_bytes", 4096),
        ("bytes_model", "4096", "bytes_dram", 4096),
        ("bytes_l1_miss_to_l2_est", "4096", "bytes_l2", 4096),
        ("atomic_ops", "12", "atomics_l2", 12),
        ("grid", "64", "grid_blocks", 64),
        ("block", '"(16, 16, 1)"', "block_threads", 256),
        ("block_size", "16x8", "block_threads", 128),
        ("ncu_lts__t_bytes.sum", "77", "bytes_l2", 77),
        ("lts__t_bytes.sum", "77", "bytes_l2", 77),
        ("lts__t_bytes.sum [Kbyte]", "77", "bytes_l2", 77000),
        ("shared_load_transactions,shared_store_transactions", "3,2", "shared_wavefronts", 5),
    ],
)
def test_spellings_in_the_wild(header: str, cell: str, column: str, value: float) -> None:
    assert one(header, cell).column(column)[0] == pytest.approx(value)


@pytest.mark.parametrize(
    ("header", "cell", "seconds"),
    [
        ("time_s", "0.25", 0.25), ("time_ms", "250", 0.25), ("time [us]", "250", 250e-6),
        ("duration_ns", "250", 250e-9),
        ("Computation duration (us)", "77.408", 77.408e-6), ("mean_ms", "0.325", 0.325e-3), ("Time (ms)", "1", 1e-3),
        ("gpu__time_duration.sum", "1000", 1e-6), ("ncu_gpu__time_duration.sum", "1000", 1e-6),
        ("gpu__time_duration.sum [us]", "1000", 1e-3),
    ],
)  # fmt: skip
def test_times_with_units(header: str, cell: str, seconds: float) -> None:
    found = read(f"kernel,{header}\nk,{cell}\n")
    np.testing.assert_allclose(found.column("time_s"), [seconds])
    assert found.flags == ((),)


def test_a_time_without_a_unit_is_taken_as_seconds_and_said() -> None:
    found = read("kernel,time\nk,0.5\n")
    assert found.column("time_s")[0] == 0.5
    assert "taken as seconds" in found.flags[0][0]


def test_global_and_local_size_of_a_tuner() -> None:
    found = read("Kernel name,Computation duration (us),Global size,Local size\nk,77.4,1048576,64\n")
    assert found.column("grid_blocks")[0] == 16384
    assert found.column("block_threads")[0] == 64


@pytest.mark.parametrize(
    ("kernel", "precision", "column"),
    [
        ("saxpy", "fp32", "flops_fp32"), ("gemm", "float32", "flops_fp32"), ("x", "double", "flops_fp64"),
        ("torch/linear", "fp16", "flops_tensor_fp16"), ("layernorm", "fp16", "flops_fp16"),
        ("attention_decode", "bfloat16", "flops_tensor_bf16"), ("gelu", "bf16", "flops_bf16"),
        ("anything", "fp8", "flops_tensor_fp8"), ("mm", "tf32", "flops_tensor_tf32"), ("q", "int8", "ops_tensor_int8"),
    ],
)  # fmt: skip
def test_flops_of_one_precision_go_to_their_pipe(kernel: str, precision: str, column: str) -> None:
    found = read(f"kernel,time_s,flops,precision\n{kernel},1,100,{precision}\n")
    assert found.column(column)[0] == 100
    assert found.column("flops")[0] == 100
    assert found.origin_of(column)[0] == Origin.DERIVED
    others = [c for c in found.numeric if c.startswith(("flops_", "ops_tensor")) and c != column]
    assert not others


def test_a_split_that_is_there_is_not_overwritten_by_the_total() -> None:
    found = read("kernel,time_s,flops,precision,flops_fp32,flops_fp64\na,1,100,fp32,30,70\nb,1,100,fp32,,\n")
    np.testing.assert_array_equal(found.column("flops_fp32"), [30, 100])
    np.testing.assert_array_equal(found.column("flops_fp64"), [70, np.nan])


def test_analytic_amounts_are_derived_and_the_launch_is_not() -> None:
    found = read("kernel,time_s,bytes_dram,regs,source_of_counts\na,1,5,8,analytic\nb,1,5,8,ncu\nc,1,5,8,nvprof\n")
    assert list(found.origin_of("bytes_dram")) == [Origin.DERIVED, Origin.COUNTED, Origin.COUNTED]
    assert list(found.origin_of("regs_per_thread")) == [Origin.COUNTED] * 3
    assert list(found.origin_of("time_s")) == [Origin.COUNTED] * 3


def test_an_estimate_is_derived_and_flagged_and_yields_to_a_count() -> None:
    found = read("kernel,time_s,bytes_l1_miss_to_l2_est,bytes_l2\na,1,5,\nb,1,5,7\n")
    assert list(found.column("bytes_l2")) == [5, 7]
    assert list(found.origin_of("bytes_l2")) == [Origin.DERIVED, Origin.COUNTED]
    assert "estimate" in found.flags[0][0]
    assert found.flags[1] == ()


def test_the_dram_share_of_reads() -> None:
    found = one("bytes_dram,dram_read_frac", "100,0.75")
    assert found.column("bytes_dram_read")[0] == 75
    assert found.column("bytes_dram_write")[0] == 25


@pytest.mark.parametrize("cell", ["0", "-1", "fast", "1.2.3"])
def test_a_bad_time_is_absent_and_flagged(cell: str) -> None:
    found = read(f"kernel,time_s\na,{cell}\nb,1\n")
    np.testing.assert_array_equal(found.column("time_s"), [np.nan, 1])
    assert len(found.flags[0]) == 1
    assert found.flags[1] == ()


@pytest.mark.parametrize("cell", ["", "nan", "NaN", "n/a", "None", "inf", "NULL"])
def test_an_absent_cell_is_absent_without_a_flag(cell: str) -> None:
    found = read(f"kernel,time_s,regs\na,1,{cell}\nb,1,8\n")
    np.testing.assert_array_equal(found.column("regs_per_thread"), [np.nan, 8])
    assert found.flags == ((), ())


def test_negative_amounts_are_absent_and_flagged() -> None:
    found = one("bytes_dram", "-5")
    assert np.isnan(found.column("bytes_dram")[0])
    assert "negative" in found.flags[0][0]


@pytest.mark.parametrize(
    "text",
    [
        "kernel,time_ms,regs\nk,1.5,8\n",
        "kernel;time_ms;regs\nk;1,5;8\n",
        "kernel;time_ms;regs\nk;1.5;8\n",
        "kernel\ttime_ms\tregs\nk\t1.5\t8\n",
        "# a comment\n\nkernel,time_ms,regs\r\nk,1.5,8\r\n",
        '\ufeff"kernel","time_ms","regs"\n"k","1.5","8"\n',
        "kernel,time_ms,regs\nk,1.5,8,\n",
        " kernel , time_ms , regs \n k , 1.5 , 8 \n\n\n",
        "Kernel,Time_ms,REGS\nk,1.5,8",
    ],
)
def test_separators_and_dialects(text: str) -> None:
    for data in (text.encode(), text.encode("utf-16")):
        found = read(data)
        assert list(found.strings("kernel")) == ["k"]
        np.testing.assert_allclose(found.column("time_s"), [1.5e-3])
        assert found.column("regs_per_thread")[0] == 8


def test_numbers_of_a_german_spreadsheet() -> None:
    found = read("kernel;time_ms;bytes_dram\na;117,5;1.234\nb;1,25;5.318.969\n")
    np.testing.assert_allclose(found.column("time_s"), [117.5e-3, 1.25e-3])
    assert list(found.column("bytes_dram")) == [1234, 5318969]


@pytest.mark.parametrize("quote", ["", '"'], ids=["fast", "slow"])
def test_rows_longer_than_the_header_are_refused(quote: str) -> None:
    """A template argument list without quotes shifts every number of its row."""
    with pytest.raises(
        InputError, match=r"row 2 below the header .* \(3\): put names that hold separators into quotes"
    ):
        read(f"kernel,gpu,time_s\na{quote}b,V100,0.1,\nk<float, 3>,V100,0.2\n")


def test_a_separator_at_the_end_of_rows_does_no_harm() -> None:
    assert list(read("kernel,gpu,time_s\na,V100,0.1,\nb,V100,0.2, \n").column("time_s")) == [0.1, 0.2]


def test_short_rows_keep_what_they_have() -> None:
    found = read("kernel,time_s,regs\na,1\nb,2,8\n")
    np.testing.assert_array_equal(found.column("regs_per_thread"), [np.nan, 8])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n", "no column kernel .* and no column time_s"),
        ("kernel,b\nk,2\n", "no column time_s"),
        ("time_s,b\n1,2\n", "no column kernel"),
        ("kernel,time_s\n", "no rows"),
        ("", "no header"),
        ("\n\n#\n", "no header"),
    ],
)
def test_what_is_missing_is_named_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as found:
        read(text)
    assert str(found.value).isprintable()


def test_parquet_and_gzip_give_the_same_as_csv(tmp_path: Path) -> None:
    import polars as pl

    reference = read(TABLE)
    frame = pl.read_csv(io.BytesIO(TABLE.encode()))
    frame.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    for name in ("t.parquet", "t.csv.gz"):
        found = reading.read(tmp_path / name)
        assert found.provenance[0].format == "table"
        assert set(found.numeric) == set(reference.numeric)
        for column, values in reference.numeric.items():
            np.testing.assert_array_equal(found.column(column), values)
        assert list(found.strings("kernel")) == ["saxpy", "gemm"]


def test_parquet_with_odd_columns(tmp_path: Path) -> None:
    import polars as pl

    frame = pl.DataFrame(
        {"kernel": ["a", None], "time_s": [1, 2], "regs": ["8", None], "flag": [True, None], "nested": [[1], [2, 3]]}
    )
    frame.write_parquet(tmp_path / "t.parquet")
    found = reading.read(tmp_path / "t.parquet")
    np.testing.assert_array_equal(found.column("regs_per_thread"), [8, np.nan])
    assert "nested" not in found.extra


@pytest.mark.parametrize("data", [b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"PAR1\xff\xff" * 50])
def test_damaged_parquet_is_one_line(data: bytes) -> None:
    with pytest.raises(InputError, match="damaged Parquet"):
        read(data)


def test_ncu_csv_is_not_a_table() -> None:
    with pytest.raises(InputError, match="read it as ncu-csv"):
        read(long_csv())


def test_every_spelling_leads_into_the_vocabulary() -> None:
    for name, meanings in MEANINGS.items():
        assert {m.column for m in meanings} <= set(ALL_NUMERIC), name
    assert set(TEXTS.values()) <= set(TEXT_COLUMNS)
    assert meanings_of("colour") == ()
    assert meanings_of("time_median_s") == ()


@pytest.mark.slow
def test_a_long_table_takes_seconds(tmp_path: Path) -> None:
    rows = [f"k{i % 50},c{i},A100,{1e-6 * (i + 1):.9g},{i},fp32,note {i}" for i in range(250_000)]
    path = tmp_path / "long.csv"
    path.write_text("kernel,config,gpu,time_s,flops,precision,remark\n" + "\n".join(rows) + "\n")
    start = time.process_time()
    found = reading.read(path)
    assert time.process_time() - start < 8
    assert len(found) == 250_000
    assert found.column("flops_fp32")[-1] == 249_999


# Columns of the published data sets that say nothing about a launch; everything else must be understood.
NO_AMOUNTS = {
    "deepbench": {"algo"},
    "dvfs_hkbu": {"dcgm_dram_active", "dcgm_fp32_active", "dcgm_fp64_active", "dcgm_fp16_active",
                  "dcgm_sm_occupancy", "dcgm_tensor_active", "config_app"},
    "eleuther_gemm": {"tflops"},
    "fluidx3d": {"vendor", "mlups", "bytes_per_cell", "flops_per_cell", "spec_fp32_tflops", "spec_mem_gb",
                 "spec_bw_GBs"},
    "hecbench_ncu": {"benchmark", "category", "model", "kernel_demangled", "counters_match", "dram_read_frac",
                     "issue_to_exec", "thread_inst_per_thread", "branch_pct", "shared_bank_conflicts_per_wave",
                     "shared_wavefronts_per_inst", "atomic_inst_frac", "spill_inst_frac", "same_work"},
    "kernel_tuner": {"time_median_s", "n_points", "n_vertices", "const_mem", "local_mem_per_thread"},
    "llm_ops": {"backend", "framework", "m", "n", "k"},
    "llmcompass": {"raw"},
    "micro16": {"mem_pattern", "divergent", "N", "rows", "cols", "iters", "calib_bw_GBs", "calib_gflops"},
    "nca_nvprof": {"input_size", "n_launches"},
    "neusight": {"split", "cuda_kernel", "blocks_per_sm", "warps_per_sm", "B", "M", "N", "K", "H"},
    "pmpp_nvbench": {"time_cold_s", "noise_cold", "bytes_read_model", "bytes_write_model", "num_elements"},
    "vidur_llm_ops": {"num_tokens", "tp"},
}  # fmt: skip


@pytest.mark.parametrize("dataset", sorted(NO_AMOUNTS))
def test_every_column_of_the_published_data_is_understood(dataset: str, data_dir: Path) -> None:
    for path in sorted((data_dir / dataset).glob("*.csv.gz")):
        with gzip.open(path, "rb") as stream:
            head = b"".join(stream.readline() for _ in range(400))
        found = read(head, path.name)
        assert len(found) == 399 or path.name == "ops.csv.gz" or dataset == "micro16"
        unread = set(found.extra) - set(found.counters) - {"source_of_counts"}
        unread = {name for name in unread if not name.startswith("p_") and not table.nvprof_metric(name)}
        assert unread <= NO_AMOUNTS[dataset], path.name
        assert (found.column("time_s") > 0).all()


def test_hecbench_shared_memory_is_without_the_drivers_share(data_dir: Path) -> None:
    found = reading.read(data_dir / "hecbench_ncu" / "kernels.csv.gz")
    assert len(found) == 4020
    assert np.nanmin(found.column("smem_bytes_per_block")) == 0
    assert set(found.column("smem_bytes_per_block_driver")) == {1024.0}
    assert sum("disagree" in " ".join(f) for f in found.flags) == 804


def test_sound_text_takes_the_fast_reader_and_keeps_quoted_line_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("read line by line")

    monkeypatch.setattr("roofcast.ingest.tables.frame.read_slowly", refused)
    found = read('kernel,time_s\n"a\nb<1, 2>",1\nc,2\n')
    assert list(found.strings("kernel")) == ["a\nb<1, 2>", "c"]
    assert found.column("time_s").tolist() == [1.0, 2.0]
    with pytest.raises(InputError, match="row 2 below the header"):
        read("kernel,time_s\na,1\nk<float, 3>,2\n")


ODD_CELLS = ("", "nan", "NA", "inf", "1e999", "+5", ".5", "5.", "-0.0", " 7 ", "1_000", "1.234", "1,234", "0x1A", "1e",
             "12abc", "5 %", "1e-3", '"3"', "- 4", "1 2", "--", "true", "12345678901234567890", "'-5", "٣")  # fmt: skip


@pytest.mark.parametrize("cell", ODD_CELLS)
def test_a_long_table_is_read_as_a_short_one(cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers read on the way (where a sample shows them) are those that the cells give as texts."""
    quoted = f'"{cell}"' if "," in cell else cell
    rows = [f"k{i % 7},{i + 0.5},{i}.125,{1.5 * i},w{i % 3}" for i in range(700)]
    rows[650] = f"k,3.5,{quoted},2,{quoted}"
    text = "\n".join(["kernel,time_s,bytes_dram,regs,mine", *rows])
    quick = read(text)
    monkeypatch.setattr("roofcast.ingest.tables.frame.SAMPLE_ROWS", 10**6)
    slow = read(text)
    for name in slow.numeric:
        np.testing.assert_array_equal(quick.column(name), slow.column(name), err_msg=name)
        np.testing.assert_array_equal(quick.origin_of(name), slow.origin_of(name))
    assert quick.flags == slow.flags
    for name in slow.text:
        assert quick.strings(name).tolist() == slow.strings(name).tolist()
    assert quick.extra["mine"].tolist() == slow.extra["mine"].tolist()


def test_text_behind_an_apostrophe_is_what_roofcast_wrote_for_spreadsheets() -> None:
    found = read("kernel,time_s,regs\n'=HYPERLINK(1),1,'-5\n'quoted',2,7\n'@f,3,8\n")
    assert found.strings("kernel").tolist() == ["=HYPERLINK(1)", "'quoted'", "@f"]


ODD_TABLES = {
    "decimal commas": "kernel;time_ms;bytes\na;1,5;2.000,5\nb;0,25;n/a\n",
    "grouping": 'kernel,time_us,flops\na,"1,234.5","12,000"\n"b, c",17,-\n',
    "short and empty rows": "kernel,time_s,gpu\na,1\n,,\nb,2,A100\n\n",
    "apostrophes": "kernel,time_s\n'=sum(a),1\n'quoted,2\n",
    "unbalanced quotes": 'kernel,time_s\n"a,1\nb,2\n',
    "quotes over lines": 'kernel,time_s\n"a\nb",1\nc,2\n',
    "words": "kernel,time_s,mine\na,fast,1e5\nb,2,\nc,inf,-3\n",
    "comments": "# made by hand\n\nkernel\ttime_s\tconfig\na\t 1 \tN=4\n",
    "ambiguous": "kernel,time_us,size\na,117.344,\"1,024\"\nb,12.5,\"2,048\"\n",
    "names twice": "kernel,time_s,x,x\na,1,2,3\n",
    "numbers in text": "kernel,time_s,gpu,mine\n1,2,3,4\n5,6,7,_8\n",
}  # fmt: skip


@pytest.mark.parametrize("what", ODD_TABLES)
def test_both_readers_of_a_table_say_the_same(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own, which reads small tables and all where Polars is absent, and the fast one."""
    slow = read(ODD_TABLES[what])
    monkeypatch.setattr(frame, "FAST_FROM_BYTES", 0)
    fast = read(ODD_TABLES[what])
    assert {k: list(v) for k, v in slow.text.items()} == {k: list(v) for k, v in fast.text.items()}
    assert slow.numeric.keys() == fast.numeric.keys()
    for name, values in slow.numeric.items():
        np.testing.assert_array_equal(values, fast.numeric[name], err_msg=name)
    assert {k: list(map(str, v)) for k, v in slow.extra.items()} == {
        k: list(map(str, v)) for k, v in fast.extra.items()
    }
    assert slow.flags == fast.flags


def test_no_hit_rate_is_above_one(tmp_path: Path) -> None:
    """Of 4,020 rows of a public set 161 have more L2 hits than requests: passes of a profiler differ."""
    path = tmp_path / "t.csv"
    path.write_text("kernel,time_s,l2_hit_rate,l1_hit_rate\na,1,105.9,40\nb,1,100.01,50\nc,1,80,60\n")
    found = reading.read(path)
    np.testing.assert_allclose(found.column("l2_hit_fraction"), [1.0, 1.0, 0.8])
    assert [int(o) for o in found.origin_of("l2_hit_fraction")] == [Origin.DERIVED, Origin.COUNTED, Origin.COUNTED]
    assert found.flags == (("L2 hit rate of 1.059 counted in passes that differ: taken as 1",), (), ())


@pytest.mark.parametrize(
    ("header", "column", "said"),
    [("achieved_occupancy", "occupancy_fraction", "Occupancy"), ("sm_active", "sm_active_fraction", "SM active")],
)
def test_no_share_is_above_one(tmp_path: Path, header: str, column: str, said: str) -> None:
    """A profile of a public repository has 1.047: warps and cycles are counted in passes of their own."""
    path = tmp_path / "t.csv"
    path.write_text(f"kernel,time_s,{header}\na,1,1.047\nb,1,0.5\n")
    found = reading.read(path)
    np.testing.assert_allclose(found.column(column), [1.0, 0.5])
    assert [int(o) for o in found.origin_of(column)] == [Origin.DERIVED, Origin.COUNTED]
    assert found.flags[0] == (f"{said} of 1.047 counted in passes that differ: taken as 1",)
