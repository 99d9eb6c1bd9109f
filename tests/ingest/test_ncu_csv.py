from __future__ import annotations

import io
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast import reading
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable
from roofcast.ingest.ncu import csv as ncu_csv
from roofcast.ingest.ncu import rows as ncu_rows
from roofcast.ingest.ncu.layout import parse_header
from roofcast.ingest.text import lines as text_lines
from roofcast.ingest.text import numbers
from text_samples import (
    KERNEL,
    LONG,
    METRICS,
    NCU_TEXT,
    french,
    german,
    launch_cells,
    line,
    long_csv,
    plain,
    us,
    wide_csv,
)


def read(data: str | bytes, name: str = "x.csv") -> KernelTable:
    return ncu_csv.read(io.BytesIO(data.encode() if isinstance(data, str) else data), name)


def assert_two_launches(table: KernelTable, kernel: str = KERNEL) -> None:
    assert list(table.strings("kernel")) == [kernel, kernel]
    assert list(table.column("launch")) == [0, 1]
    np.testing.assert_allclose(table.column("time_s"), [117344e-9, 2 * 117344e-9], rtol=1e-12)
    assert list(table.column("bytes_dram")) == [5318969728.0, 2 * 5318969728.0]
    assert list(table.counter("sm__throughput.avg.pct_of_peak_sustained_elapsed")) == [65.77, 65.77]
    assert list(table.column("insts_executed")) == [1234567.0, 2 * 1234567.0]
    assert list(table.column("regs_per_thread")) == [32.0, 32.0]
    assert list(table.column("grid_blocks")) == [128.0, 128.0]
    assert list(table.column("block_threads")) == [256.0, 256.0]
    assert list(table.strings("grid")) == ["(64, 2, 1)"] * 2
    assert list(table.strings("compute_capability")) == ["8.0", "8.0"]
    assert "secret" not in repr(table)


@pytest.mark.parametrize("number", [us, german, french, plain])
@pytest.mark.parametrize("form", [long_csv, wide_csv])
def test_forms_and_locales_give_the_same_values(form: partial[str], number: partial[str]) -> None:
    table = read(form(number=number))
    assert_two_launches(table)
    assert table.flags == ((), ())


@pytest.mark.parametrize(
    "encode",
    [
        lambda t: b"\xef\xbb\xbf" + t.encode(),
        lambda t: t.encode("utf-16"),
        lambda t: t.encode("utf-16-be"),
        lambda t: t.encode("utf-32"),
        lambda t: t.replace("\n", "\r\n").encode(),
        lambda t: t.replace("\n", "\r").encode(),
        lambda t: t.replace("\n", "\r\n").encode("utf-16"),
        lambda t: t.rstrip("\n").encode(),
    ],
    ids=["bom", "utf-16", "utf-16-be", "utf-32", "crlf", "cr", "powershell", "no last line end"],
)
def test_encodings_and_line_ends(encode: partial[bytes]) -> None:
    data = encode(long_csv())
    assert ncu_csv.recognises(data[:65536], "x")
    assert_two_launches(read(data))


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_files_saved_again_by_a_spreadsheet(delimiter: str) -> None:
    assert_two_launches(read(long_csv(quote=False, delimiter=delimiter, number=plain)))


def test_program_output_around_the_csv() -> None:
    noise = '==PROF== Connected to process 7 (/x)\n{"a": [1, 2\nlone " quote, "here\n12,13,14\n==WARNING== careful\n'
    text = noise + "no line end at the end: " + long_csv() + '\n==PROF== Disconnected\nbye "\n' + noise
    assert_two_launches(read(text))


def test_noise_between_the_rows() -> None:
    lines = long_csv().splitlines(keepends=True)
    text = "".join(part for row in lines for part in (row, 'step 3: "half a quote\n'))
    assert_two_launches(read(text))


@pytest.mark.parametrize(
    "kernel", ['f<a, "b">(int, char)', "two\nlines(int)", 'a","b', "ünïcode<Größe>", "x" * 200_000]
)
@pytest.mark.parametrize("form", [long_csv, wide_csv])
def test_kernel_names_of_every_kind(form: partial[str], kernel: str) -> None:
    assert_two_launches(read(form(kernel=kernel)), kernel)


def test_launches_of_several_processes_with_the_same_ids_stay_apart() -> None:
    first, second = long_csv(process=1), long_csv(process=2)
    body = second.split("\n", 1)[1]
    assert len(read(first + body)) == 4
    assert len(read(first + second)) == 4
    assert len(read(first + first)) == 4, "two CSVs in one file are two runs"


def test_csvs_of_different_forms_in_one_file() -> None:
    table = read(wide_csv() + "noise\n" + long_csv(number=plain))
    assert len(table) == 4
    np.testing.assert_allclose(table.column("time_s"), [117344e-9, 234688e-9] * 2)


def test_sections_display_names_rules_and_repeated_rows() -> None:
    header = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
              "Grid Size", "Device", "CC", *LONG, "Rule Name", "Rule Type", "Rule Description")  # fmt: skip
    rows = [
        ("GPU Speed Of Light Throughput", "Duration", "us", "21.50"),
        ("GPU Speed Of Light Throughput", "Memory Throughput", "%", "61.84"),
        ("SpeedOfLight", "", "", "", "SOLBottleneck", "OPT", 'Some, long\ntext with "quotes"'),
        ("Memory Workload Analysis", "Memory Throughput", "Gbyte/s", "196.46"),
        ("Launch Statistics", "Registers Per Thread", "register/thread", "40"),
        ("Launch Statistics", "Function Cache Configuration", "", "CachePreferNone"),
        ("Occupancy", "Registers Per Thread", "register/thread", "41"),
    ]
    text = line(header) + "".join(line([*launch_cells(0), *row]).rstrip("\n") + ",\n" for row in rows)
    table = read(text)
    assert len(table) == 1
    np.testing.assert_allclose(table.column("time_s"), [21.5e-6])
    assert table.column("regs_per_thread")[0] == 40, "of repeated rows the first counts"
    assert table.counter("dram__bytes.sum.per_second")[0] == 196.46e9
    np.testing.assert_allclose(table.column("bytes_dram"), [196.46e9 * 21.5e-6])


@pytest.mark.parametrize(
    ("unit", "printed", "base"),
    [
        ("Kbyte", "1.50", 1500), ("Gbyte/s", "2.00", 2e9), ("Gbyte/second", "2.00", 2e9), ("byte/second", "7", 7),
        ("usecond", "3.25", 3250), ("msecond", "3.25", 3.25e6), ("second", "4.0e-05", 4e4), ("ns", "12", 12),
        ("cycle/nsecond", "1.08", 1.08e9), ("cycle/usecond", "1.08", 1.08e6), ("cycle/second", "5", 5),
        ("Ghz", "1.08", 1.08e9), ("hz", "5", 5), ("%", "97.5", 97.5), ("inst/cycle", "0.53", 0.53),
        ("Kbyte/block", "1.02", 1020),
        ("", "1.8E+9", 1.8e9),
    ],
)  # fmt: skip
def test_scaled_units_go_to_base_units(unit: str, printed: str, base: float) -> None:
    table = read(long_csv(1, number=lambda _: printed, metrics=(("a__b.sum", unit, 1.0),)))
    np.testing.assert_allclose(table.counter("a__b.sum"), [base], rtol=1e-12)


def test_ambiguous_numbers_follow_the_rest_of_the_file() -> None:
    def table(*printed: tuple[str, str]) -> KernelTable:
        rows = [line(["ID", "Process ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"])]
        rows += [line(["0", "7", "k", f"m__{i}.sum", unit, text]) for i, (unit, text) in enumerate(printed)]
        return read("".join(rows))

    german_file = table(("ns", "117.344"), ("%", "65,77"))
    assert german_file.counter("m__0.sum")[0] == 117344
    assert german_file.flags == ((),)
    assert table(("ns", "117.344"), ("%", "65.77")).counter("m__0.sum")[0] == 117.344
    assert table(("ns", "117.344"), ("byte", "1,234.5")).counter("m__0.sum")[0] == 117.344
    assert table(("ns", "117,344"), ("byte", "1.234,5")).counter("m__0.sum")[0] == 117.344
    assert table(("ns", "117.344"), ("byte", "1.234.567")).counter("m__0.sum")[0] == 117344
    # A percentage is small, so that its separator is the decimal one.
    assert table(("ns", "117.344"), ("%", "65.774")).counter("m__0.sum")[0] == 117.344
    alone = table(("ns", "117.344"))
    assert alone.counter("m__0.sum")[0] == 117344
    assert "117.344" in alone.flags[0][0]
    assert "thousands" in alone.flags[0][0]
    mixed = table(("ns", "117.344"), ("%", "65,77"), ("%", "1,5"), ("byte", "1,234.5"))
    assert mixed.counter("m__0.sum")[0] == 117344
    assert mixed.counter("m__3.sum")[0] == 1234.5
    assert "two locales" in mixed.flags[0][0]


@pytest.mark.parametrize("text", ["n/a", "(!) n/a", "nan", "", "PolicySpread", "inf", "1.2.3,4.5", "--"])
def test_what_is_no_number_is_absent(text: str) -> None:
    table = read(long_csv(1, number=lambda v: text if v == 1234567.0 else us(v)))
    assert np.isnan(table.column("insts_executed")[0])
    assert table.column("bytes_dram")[0] == 5318969728.0


def test_summary_over_launches() -> None:
    header = ("Process ID", "Kernel Name", "Block Size", "Grid Size", "Device", "CC", "Invocations", "Section Name",
              "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average")  # fmt: skip
    rows = [
        (
            "1",
            kernel,
            "(32, 1, 1)",
            "(8, 1, 1)",
            "0",
            "9.0",
            "14",
            "s",
            "gpu__time_duration.sum",
            "us",
            "1.00",
            "3.00",
            mean,
        )
        for kernel, mean in (("a", "2.00"), ("b", "2.50"))
    ]
    table = read(line(header) + "".join(map(line, rows)))
    np.testing.assert_allclose(table.column("time_s"), [2e-6, 2.5e-6])
    assert "mean of 14 launches" in table.flags[0][0]


def test_old_header_without_sizes_and_with_dates() -> None:
    header = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context", "Stream", *LONG)
    row = (
        "0", "1", "p", "h", "k", "2020-Oct-25 19:59:36", "1", "7", "s", "gpu__time_duration.sum", "nsecond",
        "1,000,000",
    )  # fmt: skip
    table = read(line(header) + line(row))
    np.testing.assert_allclose(table.column("time_s"), [1e-3])
    assert np.isnan(table.column("grid_blocks")[0])


def test_gpu_name_of_the_raw_page() -> None:
    name = "device__attribute_display_name"
    metrics = (*METRICS, (name, "", 0.5))
    long = long_csv(number=lambda v: "NVIDIA A100-SXM4-40GB" if v in (0.5, 1.0) else us(v), metrics=metrics)
    assert list(read(long).strings("gpu")) == ["NVIDIA A100-SXM4-40GB"] * 2


def test_rows_keep_their_own_gpu_and_their_own_metrics() -> None:
    columns = ("ID", "Process ID", "Kernel Name", "Device", "CC", *LONG)
    duration, name = "gpu__time_duration.sum", "device__attribute_display_name"
    rows = [
        ("0", "7", "k", "0", "8.0", "s", duration, "us", "10.50"),
        ("0", "7", "k", "0", "8.0", "s", name, "", "NVIDIA A100-SXM4-40GB"),
        ("1", "7", "k", "1", "9.0", "s", name, "", "NVIDIA H100 PCIe"),
        ("1", "7", "k", "1", "9.0", "s", "dram__bytes.sum", "Kbyte", "5.50"),
        ("0", "8", "range", "1", "9.0", "s", duration, "us", "4.50"),
        ("1", "8", "Graph", "1", "9.0", "s", duration, "us", "3.50"),
    ]
    table = read(line(columns) + "".join(map(line, rows)))
    assert list(table.strings("kernel")) == ["k", "k", "range", "Graph"]
    assert list(table.strings("gpu")) == ["NVIDIA A100-SXM4-40GB", "NVIDIA H100 PCIe", "", ""]
    assert list(table.strings("compute_capability")) == ["8.0", "9.0", "9.0", "9.0"]
    np.testing.assert_allclose(table.column("time_s"), [10.5e-6, np.nan, 4.5e-6, 3.5e-6])
    np.testing.assert_array_equal(table.column("bytes_dram"), [np.nan, 5500, np.nan, np.nan])


def test_columns_of_nvtx_ranges_are_no_metrics() -> None:
    nvtx = "Thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
    text = line(("ID", "Process ID", "Kernel Name", nvtx, *LONG))
    text += line(("0", "7", "k", '"1 <default domain>:step:none:none"', "s", "gpu__time_duration.sum", "us", "10.50"))
    np.testing.assert_allclose(read(text).column("time_s"), [10.5e-6])
    wide = line(("ID", "Process ID", "Context", "Kernel Name", f"1:{nvtx}", "gpu__time_duration.sum"))
    wide += line(("", "", "", "", "", "us")) + line(("0", "7", "1", "k", "12", "10.50"))
    table = read(wide)
    assert list(table.counters) == ["gpu__time_duration.sum"]


def test_summary_of_each_gpu() -> None:
    text = line(
        ("Process ID", "Device", "Kernel Name", "CC", "Invocations", *LONG[:3], "Minimum", "Maximum", "Average")
    )
    for device, cc, mean in (("0", "8.0", "2.00"), ("1", "9.0", "2.50")):
        text += line(("7", device, "k", cc, "3", "s", "gpu__time_duration.sum", "us", "1.00", "3.00", mean))
    table = read(text)
    assert list(table.strings("compute_capability")) == ["8.0", "9.0"]
    np.testing.assert_allclose(table.column("time_s"), [2e-6, 2.5e-6])


def test_zero_time_is_absent_and_said() -> None:
    table = read(long_csv(1, number=lambda v: "0" if v == 117344.0 else us(v)))
    assert np.isnan(table.column("time_s")[0])
    assert "not positive" in table.flags[0][0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n", "NVreg_RestrictProfilingToAdminUsers=0"),
        ("==PROF== Connected\n==WARNING== No kernels were profiled.\n", "no kernels were profiled"),
        ("==PROF== Connected\n==ERROR== The application returned an error code (11).\n", "error code \\(11\\)"),
        (long_csv(0), "no launches"),
        (NCU_TEXT, "ncu-text"),
        ("hello\n", "--csv --page raw"),
    ],
)
def test_files_without_launches_say_why(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as found:
        read(text)
    assert "\n" not in str(found.value)


def test_error_only_file_is_recognised() -> None:
    assert ncu_csv.recognises(b"==ERROR== ERR_NVGPUCTRPERM\n", "x")


@pytest.mark.parametrize("form", [long_csv, wide_csv])
@pytest.mark.parametrize("cut", [1, 5, 30, 200])
def test_a_file_cut_off_in_a_row_keeps_the_whole_rows_before(form: partial[str], cut: int) -> None:
    whole, part = form(4), form(4)[:-cut]
    table = read(part)
    reference = read(whole)
    for name, values in table.counters.items():
        here = ~np.isnan(values)
        np.testing.assert_array_equal(values[here], reference.counter(name)[: len(table)][here])


@pytest.mark.parametrize("form", [long_csv, wide_csv])
@pytest.mark.parametrize("number", [us, german, french, plain])
def test_fast_and_forgiving_path_agree(form: partial[str], number: partial[str]) -> None:
    text = form(40, number=number)
    part = next(ncu_csv.parts(text.encode(), None, ncu_csv.Noise()))
    fast = ncu_rows.parse_fast(part.block, part.layout, {})
    slow = ncu_rows.parse_slowly(part.block.decode(), part.layout, {})
    assert fast is not None
    assert fast.launches == slow.launches
    assert fast.metrics == slow.metrics
    for name in ("launch_of", "metric_of", "values"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name), err_msg=name)
    assert fast.texts == slow.texts


@pytest.mark.parametrize("size", [700, 1500, 4000, 20_000])
@pytest.mark.parametrize("fast_from", [0, 2**40])
def test_blocks_of_every_size_give_the_same_table(size: int, fast_from: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "noise\n"
        + long_csv(5)
        + "between\n"
        + wide_csv(7, number=plain)
        + 'lone " quote\n'
        + long_csv(3, kernel="a\nb")
    )
    reference = read(text)
    monkeypatch.setattr(ncu_csv, "blocks", partial(text_lines.blocks, block_bytes=size))
    monkeypatch.setattr(ncu_rows, "FAST_FROM_BYTES", fast_from)
    table = read(text)
    assert len(table) == 15
    assert list(table.strings("kernel")) == list(reference.strings("kernel"))
    for name, values in reference.counters.items():
        np.testing.assert_array_equal(table.counter(name), values, err_msg=name)


TOKEN = st.one_of(
    st.text("0123456789.,-+eE /a'()", max_size=10),
    st.floats(-1e12, 1e12).map(lambda v: f"{v:,.2f}"),
    st.floats(0, 2e3).map(lambda v: f"{v:,.3f}"),
    st.sampled_from(["inf", "nan", "1e400", "1_000", " 5", "5 ", "1'234.5", "1 234,5", "12,34,567", "١٢", "5 (1; 2)"]),
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(TOKEN, min_size=1, max_size=40))
def test_vectorised_numbers_equal_those_read_one_by_one(tokens: list[str]) -> None:
    import polars as pl

    one_by_one = numbers.parse_numbers(tokens, {})
    series = pl.Series(tokens, dtype=pl.String)
    vectorised = numbers.parse_any(series, {})
    np.testing.assert_array_equal(vectorised[0], one_by_one[0])
    np.testing.assert_array_equal(vectorised[1], one_by_one[1])
    settled = numbers.settle_block(*one_by_one)
    english = numbers.parse_english(series, {})
    if english is not None:
        np.testing.assert_array_equal(english[0], settled[0])
        assert numbers.Kind.DECIMAL_COMMA not in settled[1]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(TOKEN, min_size=1, max_size=40))
def test_wide_numbers_read_at_once_equal_those_read_one_by_one(tokens: list[str]) -> None:
    tokens = ["1.25", "1,234.5", *tokens]
    names = ",".join(f'"a__b_{k}.sum"' for k in range(len(tokens)))
    head = f'"ID","Process ID","Process Name","Kernel Name","CC",{names},"{ncu_rows.TEXT_METRIC}"\n'
    rows = [[*tokens, "A100, 40 GB"], [*tokens[::-1], ""]]
    body = "".join(
        ",".join(f'"{cell}"' for cell in (k, 7, "a, b", "k<1, 2>", "8.0", *row)) + "\n" for k, row in enumerate(rows)
    )
    layout = parse_header(head)
    assert layout is not None
    slow = ncu_rows.parse_slowly(body, layout, {})
    found = ncu_rows.parse_wide_quoted(body.encode(), layout, {})
    if found is not None:
        assert (found.launches, found.metrics, found.texts) == (slow.launches, slow.metrics, slow.texts)
        np.testing.assert_array_equal(found.values, slow.values)
        assert numbers.Kind.DECIMAL_COMMA not in slow.kinds
    elif all(t.isascii() and "," not in t for t in tokens[2:]):
        assert numbers.Kind.DECIMAL_COMMA in slow.kinds


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 1e15).map(lambda v: round(v, 2)), st.sampled_from([us, german, french, plain]))
def test_printed_numbers_come_back(value: float, number: partial[str]) -> None:
    found, kind = numbers.parse_number(number(value))
    decimal = "," if number in (german, french) else "."
    settled = numbers.settle(np.array([found]), np.array([kind], np.uint8), decimal)[0]
    assert settled == pytest.approx(value, rel=1e-15, abs=0)


def test_real_files(fixtures_dir: Path) -> None:
    folder = fixtures_dir / "ncu_csv"
    tables = {path.name: reading.read(path) for path in sorted(folder.glob("cc-*"))}
    sizes = [len(t) for t in tables.values()]
    assert sizes == [1] * 9 + [3, 3, 9]
    by_part = {part: t for name, t in tables.items() for part in name.split("__")}
    gemm = by_part["Gardenia-Tian-CUDA-gemm-output-gemm.csv"]
    assert gemm.counter("dram__bytes.sum")[0] == 5318969728.0
    np.testing.assert_allclose(gemm.column("time_s")[0], 5143174222.52 / 764999989.86)
    copy = by_part["brycelelbach-tests-copy-blocked.csv"]
    np.testing.assert_allclose(copy.column("time_s"), [21058944e-9])
    np.testing.assert_allclose(copy.column("bytes_dram"), [196456177859.63 * 21058944e-9])
    assert copy.column("regs_per_thread")[0] == 32
    assert by_part["AveryClapp-metrics.csv"].column("flops_fp32")[0] == 2 * 1073741824 + 1048576
    assert by_part["microsoft-tests-data-cublaslt-ncu.log"].column("smem_bytes_per_block")[0] == 205696
    for table in tables.values():
        assert all(not flags for flags in table.flags)
        assert (table.column("time_s") > 0).all()
        assert "127.0.0.1" not in repr(table)


def test_a_small_file_is_read_without_loading_polars() -> None:
    script = "import io, sys\nfrom roofcast.ingest.ncu import csv\n"
    script += "csv.read(io.BytesIO(sys.stdin.buffer.read()), 'x')\nassert 'polars' not in sys.modules\n"
    done = subprocess.run([sys.executable, "-c", script], input=long_csv().encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_rows_may_end_before_the_last_column_of_the_header() -> None:
    header, body = long_csv(30).split("\n", 1)
    text = header + ',"Rule Name","Rule Type"\n' + body.replace("\n", ",\n")
    part = next(ncu_csv.parts(text.encode(), None, ncu_csv.Noise()))
    assert ncu_rows.parse_fast(part.block, part.layout, {}) is not None
    assert len(read(text)) == 30


def test_a_time_in_no_known_unit_is_absent() -> None:
    assert read(long_csv(1)).column("time_s")[0] > 0
    odd = read(long_csv(1).replace('"ns"', '"furlong"').replace('"nsecond"', '"furlong"'))
    assert np.isnan(odd.column("time_s")).all()
