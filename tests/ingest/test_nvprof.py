from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from roofcast import reading
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable
from roofcast.ingest.nvprof import csv as nvprof_csv
from roofcast.ingest.nvprof import gpu_trace
from roofcast.ingest.nvprof.nvprof_metrics import AMOUNTS, amounts_from_nvprof
from text_samples import NVPROF_METRICS, NVPROF_TEXT, NVPROF_TRACE, TABLE, long_csv


def read(text: str) -> KernelTable:
    return nvprof_csv.read(io.BytesIO(text.encode()), "nvprof.csv")


@pytest.mark.parametrize("text", [NVPROF_TRACE, NVPROF_METRICS, NVPROF_TEXT])
def test_nvprof_output_is_recognised(text: str) -> None:
    assert nvprof_csv.recognises(text.encode(), "x")
    assert nvprof_csv.recognises(text.partition("\n")[2].encode(), "x")


def test_trace_of_launches() -> None:
    table = read(NVPROF_TRACE)
    assert list(table.strings("kernel")) == ["matMul(float*, int)", "tiny(int)"]
    assert list(table.strings("gpu")) == ["Tesla K40c"] * 2
    np.testing.assert_allclose(table.column("time_s"), [2054.79e-6, 1.5e-6])
    assert list(table.column("grid_blocks")) == [256, 1]
    assert list(table.column("block_threads")) == [256, 32]
    assert list(table.column("regs_per_thread")) == [27, 8]
    assert list(table.column("smem_bytes_per_block")) == [1.5 * 1024 + 512, 0]
    assert table.provenance[0].notes == ("copies and fills left out: 1",)
    assert "someone" not in repr(table)


@pytest.mark.parametrize(("unit", "factor"), [("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)])
def test_trace_in_every_unit_of_time(unit: str, factor: float) -> None:
    table = read(NVPROF_TRACE.replace("s,us,,", f"s,{unit},,"))
    np.testing.assert_allclose(table.column("time_s"), [2054.79 * factor, 1.5 * factor])


def test_trace_with_a_column_of_the_users_script_before_it() -> None:
    lines = [f"{2 ** (8 + run)},{row}\n" for run in range(2) for row in NVPROF_TRACE.splitlines()[2:]]
    table = read("".join(lines))
    assert list(table.strings("config")) == ["256", "256", "512", "512"]
    np.testing.assert_allclose(table.column("time_s"), [2054.79e-6, 1.5e-6] * 2)


def test_trace_with_metrics_of_each_launch() -> None:
    text = '"Device","Context","Stream","Kernel","Correlation_ID","flop_count_sp","sm_efficiency"\n'
    text += '"Tesla K40c (0)","1","7","k(int)",105,1000,97.50%\n"Tesla K40c (0)","1","7","k(int)",106,2000,95.00%\n'
    table = read(text)
    assert list(table.column("flops_fp32")) == [1000, 2000]
    np.testing.assert_allclose(table.column("sm_active_fraction"), [0.975, 0.95])


def test_metrics_are_one_row_per_kernel_with_the_mean() -> None:
    table = read(NVPROF_METRICS)
    assert list(table.strings("kernel")) == ["matMul(float*, int)", "other(int)"]
    assert list(table.column("flops_fp32")) == [200, 7]
    np.testing.assert_array_equal(table.column("bytes_dram"), [480, np.nan])
    assert table.origin_of("flops_fp32")[0] == Origin.COUNTED
    assert table.origin_of("bytes_dram")[0] == Origin.DERIVED
    np.testing.assert_array_equal(table.column("threads_per_inst"), [16, np.nan])
    assert "mean of 3 launches" in table.flags[0][0]
    assert np.isnan(table.column("time_s")).all()


def test_runs_one_after_the_other_stay_apart() -> None:
    assert list(read(NVPROF_METRICS + NVPROF_METRICS).column("flops_fp32")) == [200, 7, 200, 7]


def test_plain_text_summary_has_kernels_only() -> None:
    table = read(NVPROF_TEXT)
    assert list(table.strings("kernel")) == ["matMul(float*, float*)"]
    np.testing.assert_allclose(table.column("time_s"), [129.5e-6])
    assert table.provenance[0].notes == ("copies and fills left out: 2",)


def test_csv_summary() -> None:
    text = '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n,%,ms,,us,us,us,\n'
    text += '"GPU activities",88.1,0.5,2,250.0,1,2,"k(int)"\n"API calls",99.1,0.5,2,250.0,1,2,"cudaMalloc"\n'
    table = read(text)
    assert list(table.strings("kernel")) == ["k(int)"]
    np.testing.assert_allclose(table.column("time_s"), [250e-6])


@pytest.mark.parametrize("text", ["hello\n", long_csv(), TABLE])
def test_other_files_are_refused(text: str) -> None:
    assert not nvprof_csv.recognises(text.encode(), "x")
    with pytest.raises(InputError, match="not nvprof output"):
        read(text)


def test_output_with_copies_only_is_refused() -> None:
    with pytest.raises(InputError, match="without kernels"):
        read("\n".join(NVPROF_TRACE.splitlines()[:5]) + "\n")


@pytest.mark.parametrize("column", sorted(AMOUNTS))
def test_every_amount_is_absent_without_its_metrics(column: str) -> None:
    time_s = np.array([1.0, 1.0])
    for terms in AMOUNTS[column]:
        full = {name: np.array([4.0, np.nan]) for _, name in terms}
        values, origin = amounts_from_nvprof(full, time_s)[column]
        assert values[0] == pytest.approx(sum(factor * 4.0 for factor, _ in terms))
        assert np.isnan(values[1])
        assert origin[1] == Origin.ABSENT


def test_real_files(fixtures_dir: Path) -> None:
    folder = fixtures_dir / "nvprof"
    for path in sorted(folder.iterdir()):
        lines = path.read_text().splitlines()
        table = reading.read(path)
        kernels = [row for row in lines if ("matMul(" in row or "dotProd(" in row)]
        assert len(table) == len(kernels)
        assert (table.column("time_s") > 0).all()
        if path.suffix == ".csv":
            sizes = [row.split(",")[0] for row in kernels]
            assert list(table.strings("config")) == sizes
    k40 = reading.read(next(folder.glob("tesla-k40c*")))
    np.testing.assert_allclose(k40.column("time_s")[:2], [19937e-9, 37155e-9])
    assert k40.column("smem_bytes_per_block")[0] == 1024
    slow = reading.read(next(folder.glob("unknown*")))
    np.testing.assert_allclose(slow.column("time_s")[-1], 85.8)


METRIC_LISTING = """\
program output, with a comma
==12345== NVPROF is profiling process 12345, command: ./a.out
==12345== Some kernel(s) will be replayed on device 0 in order to collect all events/metrics.
==12345== Profiling application: ./a.out
==12345== Profiling result:
==12345== Event result:
Invocations                                Event Name         Min         Max         Avg       Total
Device "Tesla K40c (0)"
    Kernel: matMul(float*, float*, int)
          2                            warps_launched        2048        2048        2048        4096
==12345== Metric result:
Invocations                               Metric Name                        Metric Description         Min         Max         Avg
Device "Tesla K40c (0)"
    Kernel: matMul(float*, float*, int)
          2                             flop_count_sp  Floating Point Operations(Single Precision)   2097152     2097152     2097152
==12345== Warning: something in the middle
          2                          dram_utilization                 Device Memory Utilization     Low (2)     Mid (4)     Low (3)
          2                             sm_efficiency                   Multiprocessor Activity      95.31%      95.31%      95.31%
          2                      dram_read_throughput             Device Memory Read Throughput  2.0000GB/s  2.0000GB/s  2.0000GB/s
    Kernel: other(int)
          1                             flop_count_sp  Floating Point Operations(Single Precision)         7           7           7
Device "Tesla K20m (1)"
    Kernel: matMul(float*, float*, int)
          1                             flop_count_sp  Floating Point Operations(Single Precision)     5e+06       5e+06       5e+06
"""  # noqa: E501 - as nvprof prints it


def test_metrics_as_printed_to_the_console() -> None:
    table = read(METRIC_LISTING)
    assert nvprof_csv.recognises(METRIC_LISTING.encode(), "x")
    assert list(table.strings("kernel")) == ["matMul(float*, float*, int)", "other(int)", "matMul(float*, float*, int)"]
    assert list(table.strings("gpu")) == ["Tesla K40c", "Tesla K40c", "Tesla K20m"]
    assert list(table.column("flops_fp32")) == [2097152, 7, 5e6]
    np.testing.assert_array_equal(table.counter("warps_launched"), [2048, np.nan, np.nan])
    np.testing.assert_array_equal(table.counter("dram_utilization"), [3, np.nan, np.nan])
    np.testing.assert_allclose(table.counter("dram_read_throughput")[0], 2 * 2**30)
    assert "mean of 2 launches" in table.flags[0][0]
    assert np.isnan(table.column("time_s")).all()


TRACE_OLD = """\
==3== Profiling result:
   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*      Size  Throughput           Device   Context    Stream  Name
289.85ms  1.5680us                    -               -         -         -         -  10.000KB  6.0820GB/s  Tesla K20m (0)         1         7  [CUDA memcpy HtoD]
290.18ms  2.4640us             (16 2 1)        (32 8 1)        27  1.5000KB      512B         -           -  Tesla K20m (0)         1         7  matMul(float*, int) [101]

Regs: Number of registers used per CUDA thread.
SSMem: Static shared memory allocated per CUDA block.
"""  # noqa: E501 - as nvprof prints it
TRACE_NEW = """\
   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*      Size  Throughput  SrcMemType  DstMemType           Device   Context    Stream          Unified Memory  Virtual Address  Name
290.18ms  2.4640us             (16 2 1)        (32 8 1)        27  1.5000KB      512B         -           -           -           -  GeForce GTX 106         1         7                       -                -  matMul(float*, int) [101]
299.18ms  1.4640us                    -               -         -         -         -         -           -           -           -  GeForce GTX 106         -         -           64.000000KB      0x7f2be4000000  [Unified Memory Memcpy DtoH]
"""  # noqa: E501 - as nvprof prints it


@pytest.mark.parametrize(("text", "gpu"), [(TRACE_OLD, "Tesla K20m"), (TRACE_NEW, "GeForce GTX 106")])
def test_trace_as_printed_to_the_console(text: str, gpu: str) -> None:
    assert nvprof_csv.recognises(text.encode(), "x")
    table = read(text)
    assert list(table.strings("kernel")) == ["matMul(float*, int)"]
    assert list(table.strings("gpu")) == [gpu]
    np.testing.assert_allclose(table.column("time_s"), [2.464e-6])
    assert list(table.column("grid_blocks")) == [32]
    assert list(table.column("block_threads")) == [256]
    assert list(table.column("smem_bytes_per_block")) == [1.5 * 1024 + 512]


def test_summary_per_gpu_names_the_device() -> None:
    second = NVPROF_TEXT.replace("==7== Profiling result:", '==7== Profiling result:\n==7== Device "Tesla V100 (1)"')
    first = second.replace("V100 (1)", "P100 (0)")
    assert list(read(first + second).strings("gpu")) == ["Tesla P100", "Tesla V100"]


@pytest.mark.parametrize(
    "message", ["Warning: No profile data collected.", "Error: Internal profiling error 1749:999.", "Error: x \x1b[31m"]
)
def test_output_of_a_failed_run_says_what_nvprof_said(message: str) -> None:
    with pytest.raises(InputError, match="nvprof recorded no kernels; it says: ") as found:
        read(f"==1== NVPROF is profiling process 1, command: ./a\n==1== {message}\n")
    assert str(found.value).isprintable()
    assert message.partition(":")[2].partition("\x1b")[0].strip() in str(found.value)


def test_noise_between_the_rows_of_a_csv() -> None:
    lines = NVPROF_TRACE.splitlines(keepends=True)
    noisy = "".join(part for row in lines for part in (row, "==7== Warning: lost, records\n", "step 3, loss 0.5\n"))
    assert list(read(noisy).column("time_s")) == list(read(NVPROF_TRACE).column("time_s"))


def test_a_run_of_page_faults_of_the_cpu_alone_is_refused_in_one_line() -> None:
    first, units = NVPROF_TRACE.splitlines()[2:4]
    row = f'0.4,{"," * 15}"[Unified Memory CPU page faults]"'
    with pytest.raises(InputError, match="nvprof output without times of launches"):
        gpu_trace.read_windows(io.BytesIO(f"{first}\n{units}\n{row}\n".encode()), "nvprof.csv")
