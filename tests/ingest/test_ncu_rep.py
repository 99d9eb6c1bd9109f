"""The report reader on a synthetic report, on damaged ones and on real files."""

from __future__ import annotations

import gzip
import io
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable
from roofcast.ingest.ncu import report as ncu_rep
from roofcast.ingest.ncu.container import CLASSES
from roofcast.ingest.ncu.opcodes import THREADS, WARPS

Metrics = dict[str, float | str | dict[str, float] | None]
SECRET = b"s3cret-host"


def framed(content: bytes) -> bytes:
    return struct.pack("<I", len(content)) + content


def set_value(value: Any, content: float | str) -> None:
    if isinstance(content, str):
        value.text = content.encode()
    elif isinstance(content, int):
        value.uint64 = content
    else:
        value.double = content


def result_of(name: str, metrics: Metrics, strings: dict[str, int], grid: tuple[int, int, int] = (64, 2, 1)) -> bytes:
    result = CLASSES["ProfileResult"](
        mangled=f"_Z{name}".encode(), function=name.encode(), demangled=f"{name}(int)".encode()
    )
    for part, size in ((result.grid, grid), (result.block, (128, 1, 1))):
        part.x, part.y, part.z = size
    for key, content in metrics.items():
        metric = result.metric.add(name=strings[key])
        if isinstance(content, dict):
            for opcode, count in content.items():
                pair = CLASSES["Instance"]()
                set_value(pair.correlation, opcode)
                set_value(pair.value, count)
                metric.instance.append(pair.SerializeToString())
        elif content is not None:
            set_value(metric.value, content)
    return bytes(result.SerializeToString())


def block_of(results: list[bytes], strings: list[str], sources: int = 1, session: Any = None) -> bytes:
    payload = b"".join(framed(b"\x7fELF" + bytes(500)) for _ in range(sources)) + b"".join(framed(r) for r in results)
    header = CLASSES["BlockHeader"](sources=sources, results=len(results), payload_bytes=len(payload))
    header.strings.text.extend(s.encode() for s in strings)
    if session is not None:
        header.session.CopyFrom(session)
    return framed(header.SerializeToString()) + payload


BASE: Metrics = {
    "gpu__time_duration.sum": 2000,
    "dram__bytes.sum.per_second": 1e12,
    "sm__cycles_elapsed.avg.per_second": float("nan"),
    "device__attribute_display_name": "NVIDIA Test 80GB",
    "device__attribute_compute_capability_major": 8,
    "device__attribute_compute_capability_minor": 0,
    "device__attribute_device_index": 1,
    "inst_executed": {"16": 30, "32": 12},
    "lts__t_sectors.sum": None,
    WARPS: {"HMMA.16816.F32": 10, "MUFU.RCP": 3, "LDG.E.64": 4, "STS": 2},
    THREADS: {"HADD2": 7, "HFMA2.MMA": 5, "FFMA": 11},
}


def session_of(command: bytes = b"") -> Any:
    session = CLASSES["Session"](command=command)
    device = session.device.add(id=1, name=b"from the session")
    attribute = device.attribute.add(name=b"multiprocessor_count")
    attribute.value.uint32 = 108
    session.version.add(key=b"Nsight Compute Target", value=b"2099.1.0.0 (build 1) (public-release)")
    return session


def report(launches: int = 3, command: bytes = b"", changes: Metrics | None = None) -> bytes:
    metrics: Metrics = {**BASE, **(changes or {})}
    strings = {name: index for index, name in enumerate(metrics)}
    results = [result_of(f"kernel{i}", metrics, strings) for i in range(launches)]
    blocks = [block_of([], [], session=session_of(command)), block_of(results[:1], list(metrics))]
    blocks += [block_of([r], [], sources=0) for r in results[1:]]
    head = CLASSES["BlockHeader"](sources=7)
    return b"NVR\0" + framed(head.SerializeToString()) + b"".join(blocks)


def read(content: bytes, name: str = "a.ncu-rep") -> KernelTable:
    return ncu_rep.read(io.BytesIO(content), name)


def test_synthetic_report_in_full() -> None:
    table = read(report())
    assert list(table.strings("kernel")) == ["kernel0(int)", "kernel1(int)", "kernel2(int)"]
    assert table.strings("kernel_mangled")[1] == "_Zkernel1"
    assert list(table.column("launch")) == [0, 1, 2]
    assert set(table.strings("gpu")) == {"NVIDIA Test 80GB"}
    assert set(table.strings("compute_capability")) == {"8.0"}
    assert table.strings("grid")[0] == "(64, 2, 1)"
    assert table.column("grid_blocks")[0] == 128
    assert table.column("block_threads")[0] == 128
    assert table.column("time_s")[0] == 2e-6
    assert table.origin_of("time_s")[0] == Origin.COUNTED
    assert table.column("bytes_dram")[0] == 2e6
    assert table.origin_of("bytes_dram")[0] == Origin.DERIVED
    assert table.column("sm_count")[0] == 108  # from the session's device, by its index
    assert table.provenance[0].tool == "Nsight Compute 2099.1.0.0"


def test_opcode_counts_become_amounts() -> None:
    table = read(report())
    assert table.column("flops_tensor_fp16")[0] == 10 * 4096
    assert table.column("insts_special")[0] == 3
    assert table.column("insts_lsu")[0] == 6
    assert table.column("flops_fp16")[0] == 2 * 7 + 4 * 5  # HADD2 shows that the kernel computes in half precision
    assert np.isnan(table.column("flops_phantom_fp16")[0])
    moves = read(report(changes={THREADS: {"HFMA2.MMA": 5, "FFMA": 11}}))
    assert moves.column("flops_fp16")[0] == 0
    assert moves.column("flops_phantom_fp16")[0] == 20


def test_absent_is_never_zero() -> None:
    table = read(report())
    assert "lts__t_sectors.sum" not in table.counters
    assert "bytes_l2" not in table.numeric
    assert "inst_executed" not in table.counters  # instances only: no stored total ...
    assert table.column("insts_executed")[0] == 42  # ... but the sum over them is one


def test_recorded_nan_is_absent_and_flagged() -> None:
    table = read(report())
    assert np.isnan(table.column("clock_hz")).all()
    assert any("sm__cycles_elapsed.avg.per_second" in flag for flag in table.flags[0])


@pytest.mark.parametrize(
    ("command", "clock", "cache", "assumed"),
    [
        (b"", "base", "cold", True),
        (b"ncu --set full ./app", "base", "cold", False),
        (b"ncu --clock-control none --cache-control=none ./app", "none", "warm", False),
        (b"ncu --clock-control=base --cache-control all ./app", "base", "cold", False),
    ],
)
def test_clock_and_cache_control(command: bytes, clock: str, cache: str, assumed: bool) -> None:
    table = read(report(command=command))
    assert table.strings("clock_control")[0] == clock
    assert table.strings("cache_state")[0] == cache
    assert any("assumed" in flag for flag in table.flags[0]) == assumed


def test_command_line_never_leaves() -> None:
    table = read(report(command=b"ncu --clock-control none /home/" + SECRET + b"/app"))
    assert SECRET.decode() not in repr((dict(table.text), table.flags, table.provenance, list(table.counters)))


def test_no_duration_is_absent() -> None:
    table = read(report(changes={"gpu__time_duration.sum": 0}))
    assert np.isnan(table.column("time_s")).all()
    assert "no usable duration" in table.flags[0]


def test_sources_are_skipped_unless_asked_for() -> None:
    content = report()
    assert [len(b.sources) for b in ncu_rep.walk_blocks(io.BytesIO(content))] == [0, 0, 0, 0]
    with_sources = list(ncu_rep.walk_blocks(io.BytesIO(content), with_sources=True))
    assert [len(b.sources) for b in with_sources] == [1, 1, 0, 0]
    assert with_sources[1].sources[0].startswith(b"\x7fELF")
    metric = next(m for m in with_sources[1].results[0].metric if len(m.instance))
    assert dict(ncu_rep.instances_of(metric)) == {"16": 30, "32": 12}


def test_reads_from_a_compressed_stream(tmp_path: Path) -> None:
    path = tmp_path / "a.ncu-rep.gz"
    path.write_bytes(gzip.compress(report()))
    with gzip.open(path) as stream:
        assert len(ncu_rep.read(stream, path.name)) == 3  # type: ignore[arg-type] # GzipFile is a binary stream


def test_a_forecast_of_a_report_loads_no_module_that_it_does_not_use(tmp_path: Path) -> None:
    path = tmp_path / "a.ncu-rep"
    path.write_bytes(report())
    needless = "{'html', 'statistics', 'zipfile', 'tempfile', 'polars', 'duckdb', 'matplotlib', 'roofcast.store.sets'}"
    code = (
        "import io, sys; from contextlib import redirect_stdout; from roofcast.__main__ import main\n"
        f"asked = ['forecast', {str(path)!r}, '--from', 'A100 SXM4 40GB', '--to', 'B200']\n"
        "with redirect_stdout(io.StringIO()): code = main(asked)\n"
        f"print(code, sorted({needless} & set(sys.modules)))"
    )
    environment = os.environ | {"ROOFCAST_STORE": str(tmp_path / "none.duckdb")}
    # The first run may make the catalog's index, which takes more.
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "0 []"


def message_of(content: bytes) -> str:
    with pytest.raises(InputError) as caught:
        read(content)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_truncation_names_the_last_complete_launch() -> None:
    content = report()
    assert "cut off after 2 complete launches" in message_of(content[:-1])
    last = len(content) - content.rindex(b"kernel2(int)")
    assert "cut off after 2 complete launches" in message_of(content[:-last])
    first = content.index(b"\x7fELF", content.index(b"gpu__time_duration"))
    assert "cut off after no complete launch" in message_of(content[:first])


def test_other_damage() -> None:
    content = report()
    assert "joined into one file" in message_of(content + content)
    assert "cut off after 3 complete launches" in message_of(content + b"\x01\x02")
    assert "cut off after 3 complete launches" in message_of(content + b"trailing words")
    assert "holds no kernel results" in message_of(report(launches=0))
    assert "cut off" in message_of(b"NVR\0")
    assert "cut off" in message_of(b"NVR\0" + b"\xff" * 4)
    assert "damaged" in message_of(b"NVR\0" + framed(b"") + framed(b"\xff" * 9))
    assert "not an Nsight Compute report" in message_of(b"PK\x03\x04")


def test_claimed_sizes_allocate_nothing() -> None:
    header = CLASSES["BlockHeader"](sources=2**63, results=2**63, payload_bytes=2**62)
    assert "cut off" in message_of(b"NVR\0" + framed(b"") + framed(header.SerializeToString()) + b"\xfe\xff\xff\xff12")


SYNTHETIC = report()


def assert_one_line_or_table(content: bytes) -> None:
    message = ""
    try:
        rows = len(read(content))
    except InputError as error:
        rows, message = 0, str(error)
    assert bool(message) != bool(rows)
    assert "\n" not in message


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    flips=st.lists(st.tuples(st.integers(0, len(SYNTHETIC) - 1), st.integers(0, 255)), min_size=1, max_size=6),
    cut=st.integers(0, len(SYNTHETIC)),
)
def test_any_bytes_give_a_table_or_one_line(flips: list[tuple[int, int]], cut: int) -> None:
    content = bytearray(SYNTHETIC)
    for position, byte in flips:
        content[position] = byte
    for damaged in (bytes(content), bytes(content[:cut])):
        assert_one_line_or_table(damaged)


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_behind_the_magic(tail: bytes) -> None:
    with pytest.raises(InputError):
        read(b"NVR\0" + tail)


def real_reports(folder: Path) -> list[Path]:
    return sorted((folder / "ncu_rep").glob("*.ncu-rep"))


@pytest.mark.slow
def test_real_reports(fixtures_dir: Path) -> None:
    for path in real_reports(fixtures_dir):
        with path.open("rb") as stream:
            table = ncu_rep.read(stream, path.name)
        timed = table.column("time_s") > 0
        assert all(t or "no usable duration" in f for t, f in zip(timed, table.flags, strict=True)), path.name
        assert timed[0], path.name
        assert np.all(table.column("block_threads")[timed] > 0), path.name
        assert np.all(table.column("sm_count") > 0), path.name
        assert all(table.strings("gpu")), path.name
        assert all(table.strings("compute_capability")), path.name
        assert not np.any(np.isinf(np.stack(list(table.numeric.values())))), path.name
        shares = [n for n in table.numeric if n.endswith("_fraction")]
        assert all(np.nanmax(table.column(n)) <= 1.05 for n in shares), path.name


@pytest.mark.slow
def test_personal_data_stays_inside(fixtures_dir: Path) -> None:
    """No text of the session's private fields (hosts, users, folders, arguments) is in any table."""
    for path in real_reports(fixtures_dir):
        with path.open("rb") as stream:
            table = ncu_rep.read(stream, path.name)
        shown = repr((dict(table.text), table.flags, table.provenance)).encode()
        for private in private_texts(path.read_bytes()):
            assert private not in shown, path.name


def private_texts(content: bytes) -> set[bytes]:
    """Texts of session fields 3 and 4 (machines: name, processor) and of the process messages."""
    found: set[bytes] = set()
    position = 8 + struct.unpack_from("<I", content, 4)[0]
    while position < len(content):
        length = struct.unpack_from("<I", content, position)[0]
        fields = wire_fields(content[position + 4 : position + 4 + length])
        payload = next((v for n, v in fields if n == 5 and isinstance(v, int)), 0)
        for session in (v for n, v in fields if n == 3 and isinstance(v, bytes)):
            for machine in (v for n, v in wire_fields(session) if n in (3, 4) and isinstance(v, bytes)):
                found |= {v for n, v in wire_fields(machine) if n in (3, 5) and isinstance(v, bytes)}
        position += 4 + length + payload
    return {text for text in found if len(text) > 4}


def wire_fields(message: bytes) -> list[tuple[int, int | bytes]]:
    """Fields of a protobuf message, by hand: a second way to look at it."""
    fields: list[tuple[int, int | bytes]] = []
    position = 0

    def varint() -> int:
        nonlocal position
        value = shift = 0
        while True:
            byte = message[position]
            position += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while position < len(message):
        key = varint()
        if key & 7 == 0:
            fields.append((key >> 3, varint()))
        elif key & 7 == 2:
            size = varint()
            fields.append((key >> 3, message[position : position + size]))
            position += size
        else:
            position += 8 if key & 7 == 1 else 4
    return fields


def test_damaged_real_reports(fixtures_dir: Path) -> None:
    generator = np.random.default_rng(7)
    path = min(real_reports(fixtures_dir), key=lambda p: p.stat().st_size)
    original = path.read_bytes()
    for _ in range(60):
        content = bytearray(original)
        for position in generator.integers(0, len(content), 4):
            content[position] = generator.integers(0, 256)
        damaged = bytes(content[: generator.integers(4, len(content))]) if generator.random() < 0.5 else bytes(content)
        assert_one_line_or_table(damaged)
