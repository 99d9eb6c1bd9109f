"""Counts from opcode histograms and Accel-Sim traces."""

from __future__ import annotations

import pytest

from roofcast.errors import InputError
from roofcast.sass.traces import read_accel_sim, read_opcode_histogram

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
    found = read_opcode_histogram(text.splitlines())
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
        read_opcode_histogram(text.splitlines())
