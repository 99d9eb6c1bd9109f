"""Counts from opcode histograms and Accel-Sim traces."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from roofcast.core.errors import InputError
from roofcast.sass.cubin import Cubin, Function, parse_cubin
from roofcast.sass.instructions import decode
from roofcast.sass.kernel_summary import summarise_with_counts
from roofcast.sass.trace_counts import (
    TraceCounts,
    find_kernel,
    parse_tensor_opcode,
    read_accel_sim,
    read_counts,
    read_opcode_histograms,
)
from sass_builders import small_cubin

OLD_TRACE = """-kernel name = _Z3addPf
-kernel id = 1
-grid dim = (2,1,1)
#traces format = threadblock_x threadblock_y threadblock_z warpid_tb PC mask dest_num [reg_dests] opcode src_num
0 0 0 0 0000 ffffffff 1 R1 IMAD.MOV.U32 1 R255 0
0 0 0 0 0010 0000ffff 1 R2 FFMA 3 R3 R4 R5 0
1 0 0 0 0010 000000ff 1 R2 FFMA 3 R3 R4 R5 0
1 0 0 0 0020 00000001 0 STG.E.64 2 R2 R6 8 1 0x7f0000000000 8
"""
WITH_SM = """-kernel name = k
0 0 0 3 17 5 0010 ffffffff 1 R2 DADD 2 R3 R4 0
"""
GROUPED = """-kernel name = k
-accelsim tracer version = 4
#BEGIN_TB
thread block = 0,0,0
warp = 0
insts = 2
0010 ffffffff 1 R2 DFMA 3 R3 R4 R5 0
0020 0000000f 0 EXIT 0 0
#END_TB
"""


def test_threads_are_the_set_bits_of_the_mask() -> None:
    found = read_accel_sim(OLD_TRACE.splitlines())
    assert found.kernel == "_Z3addPf"
    assert found.threads == {0x0: 32, 0x10: 24, 0x20: 1}
    assert found.warps == {0x0: 1, 0x10: 2, 0x20: 1}
    assert found.flops() == {"flops_fp32": 48}


@pytest.mark.parametrize(("text", "flops"), [(WITH_SM, {"flops_fp64": 32}), (GROUPED, {"flops_fp64": 64})])
def test_the_forms_of_newer_tracers(text: str, flops: dict[str, float]) -> None:
    assert read_accel_sim(text.splitlines()).flops() == flops


def test_an_opcode_histogram_gives_flops() -> None:
    text = "kernel 0 - k - #thread-blocks 8\n  DFMA = 100\n  FADD.FTZ = 30\n  HFMA2.MMA = 5\n  IMAD.MOV.U32 = 7\n"
    (found,) = read_opcode_histograms(text.splitlines())
    assert found.kernel == "k"
    assert found.flops() == {"flops_fp64": 200, "flops_fp32": 30, "flops_fp16": 20}
    assert found.by_opcode["IMAD.MOV.U32"] == 7


@pytest.mark.parametrize(
    "text", ["", "-kernel name = k\n", "0 0 0 0 0010 ffffffff\n", "0 0 0 0 zz ffffffff 0 EXIT 0 0\n", "\0\0\n"]
)
def test_damaged_traces_end_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_accel_sim(text.splitlines())
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError):
        read_opcode_histograms(text.splitlines())


HISTOGRAM = """            COUNT_WARP_LEVEL = 1 - Count warp level or thread level instructions
kernel 0 - void add(double*, int) - #thread-blocks 98,  kernel instructions 50077, total instructions 50077
  DADD = 100
  HMMA.16816.F32.BF16 = 7
  EXIT = 100
kernel 1 - scale(float*) - #thread-blocks 98,  kernel instructions 5, total instructions 50082
  FMUL = 3
"""


def test_a_histogram_of_several_kernels_counted_by_warp() -> None:
    first, second = read_opcode_histograms(HISTOGRAM.splitlines())
    assert first.kernel == "void add(double*, int)"
    assert first.flops() == {"flops_fp64": 3200, "flops_tensor_bf16": 7 * 4096}
    assert second.flops() == {"flops_fp32": 96}
    assert "every lane" in first.notes[0]
    assert sum(first.mix().values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("opcode", "ops"),
    [
        ("HMMA.884.F32.F32.STEP0", 512), ("HMMA.884.F16.F16.STEP0", 1024), ("IMMA.16832.S8.S8", 8192),
        ("DMMA.16x8x16", 4096), ("DMMA.884", 512), ("QMMA.SP.16864.F32.E4M3.E4M3", 16384),
        ("IMMA.SP.168128.S4.S4", 32768),
        ("HGMMA.64x256x16.F32", 131072), ("BMMA.88128.XOR.POPC", None), ("UTCOMMA.4X", None), ("HMMA", None),
        ("HMMA.9.F32", None), ("FFMA.16816", None),
    ],
)  # fmt: skip
def test_tensor_work_by_text(opcode: str, ops: int | None) -> None:
    found = parse_tensor_opcode(opcode)
    assert (found[1] if found else None) == ops


def test_constant_moves_of_a_trace_stand_apart() -> None:
    text = "-kernel name = k\n0010 ffffffff 1 R2 HFMA2.MMA 2 R255 R255 0\n0020 ffffffff 1 R2 HFMA2 3 R1 R2 R3 0\n"
    assert read_accel_sim(text.splitlines()).flops() == {"flops_fp16": 256, "flops_phantom_fp16": 128}


def trace_of(cubin_path: Path, kernel: str) -> str:
    """An Accel-Sim trace of one warp that runs a kernel's instructions once, in order."""
    cubin = parse_cubin(cubin_path.read_bytes())
    function = cubin.function(kernel)
    assert function is not None
    names = decode(function.code, cubin.sm).name
    lines = [f"{16 * i:04x} ffffffff 0 {name} 0 0" for i, name in enumerate(names)]
    return "\n".join([f"-kernel name = {kernel}", "#BEGIN_TB", "thread block = 0,0,0", "warp = 0", *lines, "#END_TB"])


def test_a_trace_weights_a_binary(tmp_path: Path) -> None:
    path, trace = tmp_path / "k.cubin", tmp_path / "kernel-1.traceg"
    path.write_bytes(small_cubin(struct.pack("<6Q", 0x7229, 0, 0x722B, 0, 0x794D, 0)))
    trace.write_text(trace_of(path, "k"))
    (found,) = summarise_with_counts(path, trace)
    assert found.has_counts
    assert (found.flops_code["flops_fp64"], found.launch) == (32 * 3, 0)
    assert found.mix["floating point"][0] == 2
    assert found.mix["floating point"][1] == pytest.approx(2 / 3)
    (alone,) = summarise_with_counts(trace)
    assert alone.flops_code["flops_fp64"] == 32 * 3
    assert any("no binary" in n for n in alone.notes)
    trace.write_text(trace_of(path, "k").replace("DADD", "LDG.E"))  # another build ran
    (other,) = summarise_with_counts(path, trace)
    assert other.executions is None
    assert any("name no instruction" in n for n in other.notes)
    trace.write_text(trace_of(path, "k").replace("name = k", "name = _Z5otherv"))
    with pytest.raises(InputError, match="none of the counted kernels"):
        summarise_with_counts(path, trace)


def test_names_of_kernels_as_tools_print_them() -> None:
    named = Cubin(80, None, tuple(Function(n, b"", is_kernel=True) for n in ("_Z3addPdi", "_ZN2ns5scaleILi4EEEvPf")))
    assert find_kernel(TraceCounts("void add(double*, int)"), named) == "_Z3addPdi"
    assert find_kernel(TraceCounts("void ns::scale<4>(float*)"), named) == "_ZN2ns5scaleILi4EEEvPf"
    assert find_kernel(TraceCounts("_Z3addPdi"), named) == "_Z3addPdi"
    assert find_kernel(TraceCounts("other"), named) is None
    assert find_kernel(TraceCounts(""), named) is None


@pytest.mark.parametrize("data", [b"", b"\0\0\0", b"hello\n", b"\xff\xfe= 3\n", b"-kernel name = k\n0 0 0\n"])
def test_other_files_are_no_counts(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read_counts(data, "evil\x1b[2J.txt")
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)
