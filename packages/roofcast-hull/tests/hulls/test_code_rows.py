"""Kernel rows from source code: amounts derived by hand, forecasts without any GPU, and what is refused."""

from __future__ import annotations

import contextlib
import io
import json
import math
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from hulls.test_whole_programs import BLOCK_SUM
from roofcast.__main__ import main
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, RoofcastError
from roofcast.core.kernel_table import Provenance
from roofcast.core.machines import Machines, columns_of
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.models.kernel_amounts import is_from_code
from roofcast.models.operators.from_code import KINDS, code_seconds, estimate_from_code, load_level
from roofcast_hull.emulated.device_library import UPDATE_CYCLES
from roofcast_hull.emulated.launch import LINE_UPDATE_CYCLES
from roofcast_hull.source import code_rows
from roofcast_hull.source.code_rows import derive_row, make_table
from roofcast_hull.source.nest import SourceError
from roofcast_hull.spelled import plain_c
from test_layers import FILES

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

SAXPY = """
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
int main() {
    int n = 1 << 20;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
}
"""
N = 1 << 20
ROWS = """
__global__ void rows(int n, const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 0.0f;
        for (int j = 0; j < n; j++) s += A[i * n + j] * x[j];
        y[i] = s;
    }
}
"""
STRIDED = """
__global__ void strided(const float *a, float *b, int n) {
    int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    b[i] = a[i];
}
"""
BRANCHES = """
__global__ void branches(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0) { b[i] = 2 * a[i]; } else { b[i] = 3 * a[i]; }
}
"""
COUNT = """
__global__ void count(int *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total, 1);
}
"""


def launch(blocks: int, threads: int, **sizes: int) -> dict[str, int]:
    return {"gridDim.x": blocks, "blockDim.x": threads, **sizes}


@pytest.fixture
def saxpy(tmp_path: Path) -> Path:
    path = tmp_path / "saxpy.cu"
    path.write_text(SAXPY)
    return path


def test_a_whole_file_is_a_row_of_each_launch(saxpy: Path) -> None:
    table = roofcast.read(str(saxpy))
    assert [str(k) for k in table.strings("kernel")] == ["saxpy"]
    known = {n: float(table.column(n)[0]) for n in ("grid_blocks", "block_threads", "flops_fp32", "bytes_dram")}
    assert known == {"grid_blocks": N / 256, "block_threads": 256, "flops_fp32": 2 * N, "bytes_dram": 12 * N}
    # Two loads and a store of 32 lanes x 4 B each; nothing is read twice.
    assert table.column("bytes_l1")[0] == table.column("bytes_l2")[0] == 12 * N
    assert table.column("wavefronts_l1")[0] == 3 * N / 32
    assert math.isnan(table.column("time_s")[0])
    origins = {n: int(table.origin_of(n)[0]) for n in ("flops_fp32", "bytes_l2", "time_s")}
    assert origins == {"flops_fp32": Origin.DERIVED, "bytes_l2": Origin.ASSUMED, "time_s": Origin.ABSENT}
    assert is_from_code(table).all()


def test_each_launch_with_sizes_of_its_own_is_a_row(tmp_path: Path) -> None:
    """A kernel launched at two sizes is two rows; the same launch again, and one in a loop of the host, is said."""
    path = tmp_path / "several.cu"
    further = """ for (int t = 0; t < 9; t++) saxpy<<<64, 256>>>(16384, 2.0f, x, y);
        saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, x, y);
    }"""
    path.write_text(SAXPY.rstrip().removesuffix("}") + further)
    table = roofcast.read(str(path))
    assert [str(k) for k in table.strings("kernel")] == ["saxpy", "saxpy"]
    assert table.column("bytes_dram").tolist() == [12 * N, 12 * 16384]
    assert "2 launches with these sizes" in table.flags[0][0]
    assert "loop of the host" in table.flags[1][0]
    assert all("blocks were run on NumPy" in f[-1] for f in table.flags)


TAKE = """
__global__ void take(const float *x, const int *ids, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { %s }
}
int main() { take<<<64, 256>>>(x, ids, y, 16384); }
"""


def test_an_index_that_a_scalar_keeps_is_the_index_itself() -> None:
    kept: dict[str, Any] = derive_row(TAKE % "int k = ids[i]; y[i] = 2.0f * x[k];", "take")
    written: dict[str, Any] = derive_row(TAKE % "y[i] = 2.0f * x[ids[i]];", "take")
    assert kept["bytes_dram"] == written["bytes_dram"] > 0


@pytest.mark.parametrize("turn", ["p = ids[p];", "int q = ids[p]; p = q;"])
def test_chains_of_indices_are_loads_in_turn(turn: str) -> None:
    code = TAKE % f"int p = ids[i]; for (int k = 0; k < 9; k++) {{ {turn} }} y[i] = x[p];"
    row: dict[str, Any] = derive_row(code, "take")
    assert row["loads_in_turn"] >= 4
    # Each lane goes its own way: nine chased indices and an element, a sector each.
    assert row["bytes_l2"] > 0.8 * 32 * 10 * 16384


def test_loops_that_data_end_are_refused() -> None:
    code = TAKE % "int p = ids[i]; while (p > 0) { p = ids[p]; } y[i] = x[p];"
    with pytest.raises(SourceError, match="data decide how often this loop runs"):
        derive_row(code, "take")


def test_real_numbers_are_no_sizes_of_a_launch() -> None:
    text = """
__global__ void blend(float *y, const float *x, float beta, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { float top = -INFINITY; float rest = (1.f - beta) * x[i]; y[i] = fmaxf(top, beta * y[i] + rest); }
}
int main() { blend<<<64, 256>>>(y, x, 0.5f, 16384); }
"""
    row: dict[str, Any] = derive_row(text, "blend")
    assert row["bytes_dram"] == 12 * 16384


def test_lanes_a_row_apart_take_a_line_each() -> None:
    row: dict[str, Any] = derive_row(ROWS, "rows", launch(4, 256, n=1024))
    turns = 1024 * 1024
    # A: 32 sectors of a warp, each used for eight turns; x: one sector for all.
    assert row["bytes_l1"] == pytest.approx(32 * turns + 32 * turns / 32 + 4 * 1024)
    assert row["wavefronts_l1"] == pytest.approx(turns + turns / 32 + 32)
    assert row["bytes_l2"] == pytest.approx(4 * turns + 4 * 1024 * 4 + 4 * 1024, rel=0.01)
    assert row["bytes_dram"] == 4 * (turns + 1024 + 1024)
    assert row["loads_in_turn"] == pytest.approx(1024 / 4)
    assert row["loads_in_turn_beyond_l1"] == pytest.approx(1024 / 4 / 8, rel=0.05)


@pytest.mark.parametrize(("stride", "passes"), [(1, 1), (2, 2), (3, 1), (8, 8), (32, 32), (33, 1), (1024, 32)])
def test_lanes_that_ask_one_bank_of_l1_wait_for_each_other(stride: int, passes: int) -> None:
    code = "__global__ void copy(const float *a, float *y) { int i = blockIdx.x * 32 + threadIdx.x; y[i] = a[i * %d]; }"
    row: dict[str, Any] = derive_row(code % stride, "copy", launch(64, 32))
    assert row["wavefronts_l1"] == pytest.approx(64 * (1 + passes))
    # 128 bytes of a warp fill four sectors; those of both ends are partly of others.
    sectors = min(32, 4 * stride)
    assert row["sectors_uncoalesced"] == pytest.approx(64 * (sectors - 4), abs=64 * 3)


@pytest.mark.parametrize(("value", "element"), [("float", 4), ("float2", 8), ("float4", 16), ("unsigned char", 1)])
def test_neighbours_are_coalesced_whatever_their_size(value: str, element: int) -> None:
    code = (
        f"__global__ void copy(const {value} *a, {value} *y) {{ int i = 64 * blockIdx.x + threadIdx.x; y[i] = a[i]; }}"
    )
    row: dict[str, Any] = derive_row(code, "copy", launch(64, 64))
    assert row["bytes_l1"] == 2 * 64 * 64 * element
    assert row["sectors_uncoalesced"] == 0
    same = code.replace("= a[i]", "= a[0]")
    assert dict(derive_row(same, "copy", launch(64, 64)))["sectors_uncoalesced"] == 0


BANKS = """
__global__ void flip(const float *a, float *y, int n) {
    __shared__ float t[32][%d];
    t[threadIdx.y][threadIdx.x] = a[threadIdx.y * n + threadIdx.x];
    __syncthreads();
    y[threadIdx.y * n + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
"""


@pytest.mark.parametrize(("row_words", "waits"), [(32, 31), (33, 0), (34, 1), (36, 3)])
def test_rows_of_as_many_words_as_banks_conflict(row_words: int, waits: int) -> None:
    row: dict[str, Any] = derive_row(BANKS % row_words, "flip", {**launch(1, 32), "blockDim.y": 32, "n": 32})
    assert row["shared_bank_conflicts"] == 32 * waits
    assert row["bytes_shared"] == 128 * 32 * (2 + waits)


MEMBERS = """
__global__ void fill(const float *a, float *y) {{
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = a[i];
    {}
}}
"""


@pytest.mark.parametrize(
    ("members", "between", "times"),
    [(1, "", 1), (2, "", 1), (4, "", 1), (6, "", 3), (8, "", 8), (4, "v += a[i + {}];", 4)],
)
def test_stores_of_neighbours_one_after_the_other_are_one(members: int, between: str, times: int) -> None:
    stores = " ".join(f"y[{members} * i + {k}] = v; {between.format(k + 1)}" for k in range(members))
    row: dict[str, Any] = derive_row(MEMBERS.format(stores), "fill", launch(64, 256))
    assert row["bytes_l2_stored"] == pytest.approx(times * 64 * 256 * 4 * members)


@pytest.mark.parametrize("most", [200, 20000])
def test_a_loop_that_known_numbers_end_early_runs_to_there(most: int) -> None:
    code = """
__global__ void halve(int *y, float first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
    float move = (i %% 7 + 1) * 0.5f;
    while (move > 1e-3f && n < %d) { move = move * 0.5f; n++; }
    y[i] = n;
}
"""
    row: dict[str, Any] = derive_row(code % most, "halve", launch(64, 256))
    assert 8 <= row["flops_fp32"] / (64 * 256) <= 14


def test_what_all_blocks_read_stays_in_l1_from_block_to_block() -> None:
    code = """
__global__ void weigh(const float* __restrict__ w, const float* __restrict__ x, float* __restrict__ y, int n) {
    float s = 0.f;
    for (int k = 0; k < n; k++) s += w[k * 64 + threadIdx.x] * x[blockIdx.x * 64 + k];
    y[blockIdx.x * 64 + threadIdx.x] = s;
}
"""
    table = make_table([derive_row(code, "weigh", launch(65536, 64, n=64))], Provenance())
    assert table.column("bytes_tables")[0] == 64 * 64 * 4
    assert table.column("bytes_l2_tables")[0] == pytest.approx(65536 * 64 * 64 * 4)
    gpu = roofcast.gpu("H100 SXM5 80GB")
    there = Machines(columns_of([gpu]), np.zeros((1, 1), np.intp), np.array([[1.755e9]]))
    blind = table.with_columns(bytes_l2_tables=(np.zeros(1), Origin.DERIVED))
    anew, kept = (code_seconds(t, there).by_resource[Resource.BYTES_L2][0, 0] for t in (blind, table))
    assert anew > 10 * kept


def test_a_store_that_may_be_what_is_loaded_keeps_turns_apart() -> None:
    text = ROWS.replace("__restrict__", "").replace("s += ", "y[i] += ").replace("y[i] = s;", "")
    apart: dict[str, Any] = derive_row(text, "rows", launch(4, 256, n=1024))
    assert apart["loads_in_turn"] == pytest.approx(1024)


def test_a_guard_on_a_multiple_of_the_index_is_a_bound() -> None:
    row: dict[str, Any] = derive_row(STRIDED, "strided", launch(4096, 256, n=N))
    # One thread in eight of the grid works; each element has a sector of its own, read and written.
    assert row["bytes_l2"] == 2 * 32 * N / 8


def test_branches_touch_each_element_once() -> None:
    row: dict[str, Any] = derive_row(BRANCHES, "branches", launch(N // 256, 256, n=N))
    assert row["bytes_dram"] == pytest.approx(8 * N)
    assert row["bytes_l2"] == pytest.approx(8 * N)


def test_updates_of_one_element_follow_each_other() -> None:
    """Compilers make one of a warp's additions of whole numbers; those of numbers with a fraction come lane by lane."""
    row: dict[str, Any] = derive_row(COUNT, "count", launch(N // 256, 256, n=N))
    assert row["atomics_l2"] == N / 32
    assert row["cycles_atomic_in_turn"] == pytest.approx(UPDATE_CYCLES[False] * N / 32)
    code = "__global__ void add(const float *x, float *s, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;%s }"
    sums: dict[str, Any] = derive_row(code % " if (i < n) atomicAdd(s, x[i]);", "add", launch(N // 256, 256, n=N))
    assert sums["cycles_atomic_in_turn"] == pytest.approx(UPDATE_CYCLES[True] * N)
    apart: dict[str, Any] = derive_row(code % " if (i < n) atomicAdd(&s[i], x[i]);", "add", launch(N // 256, 256, n=N))
    assert apart["cycles_atomic_in_turn"] == pytest.approx(4 * LINE_UPDATE_CYCLES)


SUM = """
__global__ void sum(const float *__restrict__ x, float *__restrict__ y, int n, int step) {
    const int known = 256;
    float s = 0.0f;
    for (int i = threadIdx.x; i < n; i += %s) s += x[i];
    y[threadIdx.x] = s;
}
"""


@pytest.mark.parametrize(("step", "together"), [("256", 4), ("known", 4), ("step", 1), ("blockDim.x", 1)])
def test_turns_overlap_where_the_step_is_known(step: str, together: int) -> None:
    row: dict[str, Any] = derive_row(SUM % step, "sum", launch(1, 256, n=65536, step=256))
    assert row["loads_in_turn"] == pytest.approx(256 / together)


def test_a_loop_around_a_loop_waits_in_each_turn() -> None:
    inner = "for (int r = 0; r < 64; ++r) for (int i = threadIdx.x; i < n; i += 256) s += x[r * n + i];"
    text = SUM.replace("for (int i = threadIdx.x; i < n; i += %s) s += x[i];", inner)
    row: dict[str, Any] = derive_row(text, "sum", launch(1, 256, n=4096, step=256))
    assert row["loads_in_turn"] == pytest.approx(64 * 16 / 4)


@pytest.fixture
def _no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_rows, "compile_kernel", lambda *_: (None, "no compiler"))


@pytest.mark.usefixtures("_no_compiler")
def test_divisions_of_indices_are_instructions() -> None:
    code = "__global__ void swap(const float *x, float *y, int w, int h) { int i = blockIdx.x * 256 + threadIdx.x;%s }"
    sizes = launch(4096, 256, w=1024, h=1024)
    plain: dict[str, Any] = derive_row(code % " y[i] = x[i];", "swap", sizes)
    turned: dict[str, Any] = derive_row(code % " y[i % w * h + i / w] = x[i];", "swap", sizes)
    warps = 4096 * 8
    assert turned["insts_issued"] - plain["insts_issued"] == pytest.approx(21 * warps)


def test_words_of_constant_memory_come_one_after_the_other() -> None:
    code = """
__constant__ float table[64];
__global__ void look_up(float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = table[%s]; }
"""
    alike: dict[str, Any] = derive_row(code % "blockIdx.x % 64", "look_up", launch(64, 256))
    apart: dict[str, Any] = derive_row(code % "threadIdx.x % 16", "look_up", launch(64, 256))
    assert alike["words_constant"] == 0
    assert apart["words_constant"] == 64 * 8 * 16


def test_forecast_of_a_file(saxpy: Path) -> None:
    table = roofcast.read(str(saxpy))
    found = roofcast.forecast(table, to=["H100 SXM5 80GB", "A100 SXM4 40GB"])
    time = found.estimate.time_s[0]
    assert (found.estimate.time_low_s[0] < time).all()
    assert (time < found.estimate.time_high_s[0]).all()
    assert math.isnan(found.speedup()[0, 0])
    assert found.totals[0].time_s == pytest.approx(time[0])
    assert "of source code, not measured" in str(found)


def test_cold_caches_and_less_bandwidth_take_longer(saxpy: Path) -> None:
    table = roofcast.read(str(saxpy))
    cold, warm = (
        roofcast.forecast(table, to="H100 SXM5 80GB", cache=c).estimate.time_s[0, 0] for c in ("cold", "warm")
    )
    assert cold > warm
    half, whole = (
        roofcast.forecast(table, to=f"H100 SXM5 80GB{v}", cache="cold").estimate.time_s[0, 0]
        for v in ("{dram=1TB/s}", "")
    )
    assert half > whole


def test_parts_are_seconds_of_amounts_over_rates() -> None:
    table = roofcast.read({"kernel": ["k"], "time_s": [1.0]})
    derived = Origin.DERIVED
    amounts = {
        "grid_blocks": 1320.0, "block_threads": 256.0, "wavefronts_l1": 65536.0, "bytes_dram_read": 3e9,
        "bytes_dram_write": 0.0, "working_set_bytes": 3e9, "loads_in_turn": 0.0, "loads_in_turn_beyond_l1": 0.0,
        "loads_in_turn_new": 0.0,
    }  # fmt: skip
    table = table.with_columns(
        time_s=(np.array([np.nan]), Origin.ABSENT), **{n: (np.array([v]), derived) for n, v in amounts.items()}
    )
    gpu = roofcast.gpu("H100 SXM5 80GB")
    there = Machines(columns_of([gpu]), np.zeros((1, 1), np.intp), np.array([[1.755e9]]))
    needs = code_seconds(table, there)
    assert needs.by_resource[Resource.BYTES_L1][0, 0] == pytest.approx(65536 / 132 / 1.755e9)
    assert needs.total[0, 0] == pytest.approx(needs.by_resource[Resource.BYTES_DRAM][0, 0], rel=1e-3)
    assert KINDS[needs.kind[0, 0]] == "memory"
    level = load_level()
    found = estimate_from_code(table, there, Conditions())
    widened = math.exp(level.first_sight * level.ways["memory"][1])
    assert found.time_high_s[0, 0] / found.time_s[0, 0] == pytest.approx(widened)


def test_what_data_decide_has_intervals_of_its_own() -> None:
    rows: list[dict[str, Any]] = [
        derive_row(TAKE % f"{code};", "take") for code in (
            "y[i] = 2.0f * x[i]", "if (x[i] > 0.5f) y[i] = 2.0f * x[i]", "y[i] = 2.0f * x[ids[i]]",
            "atomicAdd(&y[ids[i]], x[i])",
        )
    ]  # fmt: skip
    assert [row["data_decide"] for row in rows] == [0, 1, 2, 3]
    assert any("data choose which elements of x" in n for n in rows[2]["notes"])
    ways = load_level().ways
    widths = [sum(ways[kind]) for kind in ("memory", "choices", "places", "data")]
    assert widths == sorted(widths)


def test_new_programs_widen_intervals_by_what_forecasts_before_their_times_were_off() -> None:
    """1.0 would say that programs left out one by one tell how far new ones are off."""
    from roofcast_evaluate.source_rows import teach_first_sight

    assert 1.2 < load_level().first_sight == round(teach_first_sight(), 2) < 1.8


def test_many_short_blocks_take_the_time_of_their_starts() -> None:
    """24,576 blocks of 64 threads, whose copies L2 holds, took 15.9 us on an H200: 0.65 ns for each block."""
    code = "__global__ void copy(const float *x, float *y) { int i = blockIdx.x * 64 + threadIdx.x; y[i] = x[i]; }"
    table = make_table([dict(derive_row(code, "copy", launch(24576, 64)))], Provenance())
    there = Machines(columns_of([roofcast.gpu("H200 SXM 141GB")]), np.zeros((1, 1), np.intp), np.array([[1.98e9]]))
    time = estimate_from_code(table, there, Conditions(cache="warm")).time_s[0, 0]
    assert 24576 / 1.98e9 < time < 1.3 * 15.9e-6


def test_advice_on_a_gpu(saxpy: Path) -> None:
    found = roofcast.advise(str(saxpy), on="H100 SXM5 80GB")
    assert found.total > 0


@pytest.mark.parametrize(("row_words", "named"), [(32, True), (33, False)])
def test_advice_names_conflicts_of_banks(tmp_path: Path, row_words: int, named: bool) -> None:
    file = tmp_path / "flip.cu"
    main = "int main() { flip<<<4096, dim3(32, 32)>>>(a, y, 32); }"
    file.write_text(BANKS % row_words + f"float *a, *y;\n{main}\n")
    found = roofcast.advise(str(file), on="H100 SXM5 80GB")
    assert ("bank conflicts" in str(found)) == named


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("int main() { return 0; }", "no __global__ function"),
        (ROWS, "the file does not say its launch"),
        (SAXPY.replace("y[i] = a", "y[x[i]] = unknown(i) + a"), "the call of 'unknown' is not followed"),
    ],
)
def test_refusals_say_why(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(text)
    with pytest.raises(InputError, match=reason):
        roofcast.read(str(path))


def test_sizes_that_nothing_says_are_refused() -> None:
    with pytest.raises(SourceError, match="launch"):
        derive_row(ROWS, "rows", {})


def test_other_files_are_what_they_were(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text("void f(void) {}")
    with pytest.raises(RoofcastError, match="hull --from-source"):
        roofcast.read(str(path))


def test_no_room_above_names_the_reader() -> None:
    """The package registers it; the door finds it by that alone."""
    readers = FILES["roofcast.ingest.readers"].read_text(encoding="utf-8")
    assert "hulls" not in readers


def test_json_of_a_file(saxpy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forecast", str(saxpy), "--to", "H100", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["forecasts"]
    assert row["measured_time_s"] is None
    assert row["time_low_s"] < row["time_s"] < row["time_high_s"]


def test_code_beside_a_profile_is_no_more_of_it(saxpy: Path) -> None:
    (saxpy.parent / "times.csv").write_text("kernel,gpu,time_s\naxpy,V100,1e-3\n")
    table = roofcast.read(str(saxpy.parent))
    assert [str(k) for k in table.strings("kernel")] == ["axpy"]
    assert any("source code" in n for n in table.provenance[0].notes)


@pytest.mark.slow
@pytest.mark.parametrize("versions", [pytest.param(18, marks=pytest.mark.exhaustive), 6])
def test_measured_rows(versions: int) -> None:
    """Own programs beside measured times, each left out of what the others taught.

    versions : of one kernel at two sizes, which take as many thirds of all the time as there are sixths of them.
    """
    from roofcast_evaluate import source_rows
    from roofcast_evaluate.source_rows import factor_of, mean_of, score_source

    spec = source_rows.load_spec()
    others = [*source_rows.list_hopper(spec["hopper"]), *source_rows.list_micro(spec["micro16"])]
    scored = score_source([*others, *islice(source_rows.list_steps(), versions)])
    assert len(scored) >= 30
    assert factor_of(scored) <= 1.6
    assert 0.85 <= mean_of(float(s.inside) for s in scored) <= 0.96
    assert math.exp(mean_of(math.log(s.high_s / s.low_s) for s in scored)) <= 5


def test_sparse_rows_are_a_row() -> None:
    text = (Path(__file__).parent / "codes" / "fresh" / "csr.cu").read_text(encoding="utf-8")
    row: dict[str, Any] = derive_row(text, "spmv_csr")
    assert row["flops_fp64"] == pytest.approx(3.3e6, rel=0.01)
    assert row["bytes_dram"] >= 22_000_000 - 8 * 100_000
    assert any("rows are taken to be equally long" in n for n in row["notes"])


def test_threads_that_share_a_loop_touch_each_element_once() -> None:
    code = """
__global__ void rows(const float *x, float *y, int cols) {
    for (int i = threadIdx.x; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] = 2.0f * x[blockIdx.x * cols + i];
}
int main() { rows<<<512, 128>>>(x, y, 1000); }
"""
    row = derive_row(code, "rows")
    whole = 512 * 1000 * 4
    assert row["bytes_dram_read"] == pytest.approx(whole)
    assert row["bytes_dram_write"] == pytest.approx(whole)
    # A row starts in the middle of a sector or not: a warp touches at most one more.
    assert 2 * whole <= float(str(row["bytes_l2"])) < 2.3 * whole


def test_triton_kernels_are_rows(capsys: pytest.CaptureFixture[str]) -> None:
    file = Path(__file__).parent / "codes" / "unseen" / "triton_more.py"
    table = roofcast.read(str(file))
    amounts = dict(zip(map(str, table.strings("kernel")), table.column("bytes_dram").tolist(), strict=True))
    assert amounts["swiglu"] == pytest.approx(3 * 2048 * 11008 * 2, rel=0.01)
    assert amounts["rms_norm"] == pytest.approx(2 * 2048 * 4096 * 2 + 4096 * 2, rel=0.01)
    assert amounts["total"] == pytest.approx(4e7 + 4, rel=0.01)
    # A product of 1024 x 512 and 512 x 4096, and a bias.
    assert amounts["linear_relu"] == pytest.approx(2 * (1024 * 512 + 512 * 4096 + 4096 + 1024 * 4096), rel=0.01)
    assert main(["forecast", str(file), "--to", "H100", "--format", "json"]) == 0
    forecasts = json.loads(capsys.readouterr().out)["forecasts"]
    assert all(f["time_low_s"] < f["time_s"] < f["time_high_s"] for f in forecasts)


def test_sums_of_a_block_leave_loads_and_stores() -> None:
    code = BLOCK_SUM.replace("WHO", "threadIdx.x == 0")
    row = derive_row(code, "total")
    # The sum itself is read too.
    assert (row["bytes_dram_read"], row["atomics_l2"]) == (4 * 2**20 + 4, 4096)
    assert derive_row(code, "centre")["bytes_dram"] == 2 * 2048 * 1000 * 4


LAUNCHED = """
__global__ void scale(float* a, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = {value}; }}
int main() {{ float* a; cudaMalloc(&a, 4096 * 4); scale<<<{grid}, {block}>>>(a, 4096); }}
"""


@pytest.mark.parametrize("changed", [{"block": "2048"}, {"block": "1 << 30"}, {"grid": "dim3(1, 70000)"}])
def test_a_launch_that_no_gpu_starts_is_refused_in_one_line(changed: dict[str, str]) -> None:
    code = LAUNCHED.format(**{"grid": "16", "block": "256", "value": "2 * a[i]"} | changed)
    with pytest.raises(RoofcastError, match="no GPU starts") as refused:
        code_rows.read(io.BytesIO(code.encode()), "scale.cu")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("value", ["a[i] / 0", "a[i] + 1 % 0", "a[i] * (1 << 70)", "a[n / (n - 4096)]"])
def test_arithmetic_that_has_no_value_ends_in_a_row_or_a_line(value: str) -> None:
    code = LAUNCHED.format(grid="16", block="256", value=value)
    with contextlib.suppress(RoofcastError):
        assert len(code_rows.read(io.BytesIO(code.encode()), "scale.cu")) == 1


@pytest.mark.parametrize("spelled", [True, False])
def test_a_function_is_the_one_whose_parameters_take_the_arguments(
    spelled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A product of complex numbers takes six operations, one by a number two; with libclang and without."""
    if not spelled:
        monkeypatch.setattr(plain_c, "is_installed", lambda: False)
    code = """struct Complex { double re, im; };
__device__ Complex times(Complex a, Complex b) {
  Complex c = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return c;
}
__device__ Complex times(Complex a, double b) {
  Complex c = {a.re * b, a.im * b};
  return c;
}
__global__ void scale(const Complex *x, Complex *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = times(times(x[i], x[i]), 3.0);
}
"""
    row = derive_row(code, "scale", {"gridDim.x": 8, "blockDim.x": 128})
    assert row["flops_fp64"] == pytest.approx(8 * 8 * 128)


@pytest.mark.parametrize(
    ("width", "times"),
    [(32, (1 + 32) / 2), (33, 1), (34, (1 + 2) / 2), (36, (1 + 4) / 2)],
)
def test_rows_of_a_tile_lie_as_far_apart_as_it_is_wide(width: int, times: float) -> None:
    """Lanes that go down a column of 32 rows meet in a bank as often as the width's common divisor with 32 says."""
    code = f"""
__global__ void turn(const float *a, float *b, int n) {{
    __shared__ float tile[32][{width}];
    tile[threadIdx.y][threadIdx.x] = a[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    b[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}}
int main() {{ turn<<<dim3(16, 16), dim3(32, 32)>>>(a, b, 512); }}
"""
    assert derive_row(code, "turn")["bytes_shared"] == pytest.approx(8 * 512**2 * times)


@pytest.mark.parametrize(("width", "broadcast"), [(32, 32 / 4), (33, 32)])
def test_neighbours_of_a_row_are_loaded_at_once(width: int, broadcast: float) -> None:
    """Of 32 products of two tiles, one operand is the same for all lanes: four of an aligned row by one instruction."""
    code = f"""
__global__ void multiply(const float *a, const float *b, float *c, int n) {{
    __shared__ float left[32][{width}], right[32][32];
    float sum = 0.f;
    for (int t = 0; t < n; t += 32) {{
        left[threadIdx.y][threadIdx.x] = a[(blockIdx.y * 32 + threadIdx.y) * n + t + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 32; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }}
    c[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = sum;
}}
int main() {{ multiply<<<dim3(8, 8), dim3(32, 32)>>>(a, b, c, 256); }}
"""
    warps, tiles = 256**2 / 32, 256 / 32
    assert derive_row(code, "multiply")["bytes_shared"] == pytest.approx(128 * warps * tiles * (2 + 32 + broadcast))


ROW_SUMS = """
import torch
import triton
import triton.language as tl

@triton.jit
def row_sums(x, y, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = row[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(y + row, tl.sum(tl.load(x + at), axis=1))

x = torch.rand(4096, 64, device="cuda")
y = torch.empty(4096, device="cuda")
row_sums[(4096 // 32,)](x, y, ROWS=32, COLUMNS=64, num_warps=4)
"""


def test_threads_of_a_triton_program_add_up_rows_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "row_sums.py"
    path.write_text(ROW_SUMS)
    table = roofcast.read(str(path))
    # A line of 128 bytes for each 32 elements, and the results; the loads of a tile are under way together.
    assert table.column("wavefronts_l1")[0] <= 1.1 * 4096 * 64 / 32
    assert table.column("loads_in_turn")[0] <= 4
    # A thread takes four elements at once.
    assert table.column("insts_lsu")[0] <= 4096 * 64 / 32 / 4 + 4096 / 32 * 4


TAPS = """
import torch, triton
import triton.language as tl

@triton.jit
def taps(x, w, y, CIN, L, KS: tl.constexpr, BL: tl.constexpr):
    at = tl.program_id(1) * BL + tl.arange(0, BL)
    acc = tl.zeros((BL,), tl.float32)
    for c in range(CIN):
        for k in tl.static_range(KS):
            p = at + k - KS // 2
            v = tl.load(x + (tl.program_id(0) * CIN + c) * L + p, mask=(p >= 0) & (p < L), other=0.0)
            acc += v * tl.load(w + c * KS + k)
    tl.store(y + tl.program_id(0) * L + at, acc, mask=at < L)
x = torch.randn(16, 8, 4096, device="cuda")
w, y = torch.randn(8, 5, device="cuda"), torch.empty(16, 4096, device="cuda")
taps[(16, 8)](x, w, y, 8, 4096, KS=5, BL=512)
"""


def test_loops_of_a_triton_program_add_to_one_sum(tmp_path: Path) -> None:
    path = tmp_path / "taps.py"
    path.write_text(TAPS)
    table = roofcast.read(str(path))
    assert table.column("bytes_dram")[0] == pytest.approx(4 * (16 * 8 * 4096 + 16 * 4096 + 40), rel=0.01)
    assert table.column("flops_fp32")[0] == pytest.approx(2 * 16 * 4096 * 40, rel=0.01)


TWICE = """
__global__ void centre(const float *x, float *y, int cols) {
    __shared__ float part[256];
    const float *row = x + (size_t)blockIdx.x * cols;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) sum += row[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (threadIdx.x < k) part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    float mean = part[0] / cols, square = 0.0f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) square += (row[i] - mean) * (row[i] - mean);
    atomicAdd(y + blockIdx.x, square);
}
int main() { centre<<<%d, 256>>>(x, y, 16384); }
"""


@pytest.mark.parametrize(("blocks", "passes"), [(4096, 2.0), (128, 1.0)])
def test_rows_are_read_once_more_where_l2_cannot_hold_those_of_all_resident_blocks(blocks: int, passes: float) -> None:
    """Eight blocks on each of 132 SMs have 69 MB under way, L2 holds 50."""
    row: dict[str, Any] = derive_row(TWICE % blocks, "centre")
    whole = blocks * 16384 * 4
    assert row["bytes_dram_read"] == pytest.approx(whole, rel=0.01)
    assert row["bytes_read_over"] == pytest.approx(whole, rel=0.01)
    assert row["bytes_between_reads"] == pytest.approx(16384 * 4, rel=0.1)
    table = make_table([row], Provenance())
    there = Machines(columns_of([roofcast.gpu("H100 SXM5 80GB")]), np.zeros((1, 1), np.intp), np.array([[1.98e9]]))
    at_once = table.with_columns(bytes_read_over=(np.zeros(1), Origin.DERIVED))
    more, less = (code_seconds(t, there, cold=True).by_resource[Resource.BYTES_DRAM][0, 0] for t in (table, at_once))
    assert more / less == pytest.approx(passes, abs=0.25)


@pytest.mark.usefixtures("_no_compiler")
@pytest.mark.parametrize(("step", "more"), [("8192", 0.7), ("blockDim.x * gridDim.x", 8.0), ("wide", 0.7)])
def test_turns_of_loops_that_stay_loops_take_more_instructions(step: str, more: float) -> None:
    code = f"""
__global__ void scale(const float *x, float *y, int n) {{
    const int wide = 8192;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += {step}) y[i] = 2.0f * x[i];
}}
"""
    turns = 64
    row: dict[str, Any] = derive_row(code, "scale", launch(32, 256, n=8192 * turns))
    of_a_warp = row["insts_issued"] / (32 * 8)
    assert of_a_warp == pytest.approx(29 + turns * (2 + 0.6 + more), rel=0.02)


PRODUCT = """
import torch, triton
import triton.language as tl

@triton.jit
def multiply(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (at + k)[None, :])
        acc = tl.dot(x, tl.load(b + (at + k)[:, None] * N + n[None, :]), acc)
    tl.store(c + m[:, None] * N + n[None, :], acc)

a = torch.randn(4096, 1024, device="cuda", dtype=torch.float16)
b = torch.randn(1024, 4096, device="cuda", dtype=torch.float16)
c = torch.empty(4096, 4096, device="cuda")
multiply[(4096 // %d, 32)](a, b, c, 4096, 4096, 1024, BM=%d, BN=128, BK=64, num_warps=8)
"""


@pytest.mark.parametrize(
    ("rows", "warps", "groups"), [(128, (2, 4), (1, 2)), (64, (4, 2), (2, 1)), (32, (4, 2), (4, 2))]
)
def test_groups_of_four_warps_read_operands_once(
    tmp_path: Path, rows: int, warps: tuple[int, int], groups: tuple[int, int]
) -> None:
    """Rows of 64 and more are products of groups on an H100; below and on an A100 each warp reads its own."""
    path = tmp_path / "product.py"
    path.write_text(PRODUCT % (rows, rows))
    table = roofcast.read(str(path))
    turns = (4096 // rows) * 32 * 16
    tiles = 2 * 64 * rows, 2 * 64 * 128
    by_warps, by_groups = (
        turns * sum(t * (1 + n) for t, n in zip(tiles, times, strict=True)) for times in (warps, groups)
    )
    assert table.column("bytes_shared")[0] == pytest.approx(by_warps)
    assert by_warps - table.column("bytes_shared_by_groups")[0] == pytest.approx(by_groups)
    spared = table.with_columns(bytes_shared_by_groups=(np.zeros(1), Origin.DERIVED))
    for name, sees in (("H100 SXM5 80GB", rows >= 64), ("A100 SXM4 80GB", False)):
        there = Machines(columns_of([roofcast.gpu(name)]), np.zeros((1, 1), np.intp), np.array([[1.4e9]]))
        took = [code_seconds(t, there).by_resource[Resource.BYTES_SHARED][0, 0] for t in (table, spared)]
        assert (took[0] < took[1]) == sees


SEARCH = """
__global__ void find(const int* __restrict__ sorted, const int *key, int *place, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lo = 0, hi = n;
    %s
    place[i] = lo;
}
int main() { int n = 1 << 20; find<<<256, 256>>>(sorted, key, place, n); }
"""


@pytest.mark.parametrize("loop", [
    "while (lo < hi) { int m = (lo + hi) / 2; if (sorted[m] < key[i]) lo = m + 1; else hi = m; }",
    "for (; hi > lo;) { int m = lo + (hi - lo) / 2; if (key[i] <= sorted[m]) { hi = m; } else { lo = m + 1; } }",
    "while (hi - lo > 0) { int half = (hi - lo) >> 1; if (sorted[lo + half] < key[i]) lo += half + 1; "
    "else hi = lo + half; }",
])  # fmt: skip
def test_searches_go_one_way_in_each_turn(loop: str) -> None:
    """Both sides of a turn would end the search at once: 20 or 21 turns find one of a million."""
    row: dict[str, Any] = derive_row(SEARCH % loop, "find")
    assert 18 <= row["loads_in_turn"] <= 24
    assert any("which way a search goes" in n for n in row["notes"])
    assert row["data_decide"] == 3


@pytest.mark.parametrize(("bins", "lines"), [(64, 2), (1024, 32)])
def test_updates_of_few_lines_follow_each_other(bins: int, lines: int) -> None:
    """A warp's 32 keys touch nearly all eight sectors of 64 bins, and 28 of the 128 of 1,024."""
    code = f"""
__global__ void count(const int *key, int *load, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(load + key[i], 1);
}}
int main() {{
    int *load;
    cudaMalloc(&load, {bins} * sizeof(int));
    count<<<4096, 256>>>(key, load, 1048576);
}}
"""
    row: dict[str, Any] = derive_row(code, "count")
    sectors = bins / 8
    touched = sectors * (1 - (1 - 1 / sectors) ** 32)
    assert row["cycles_atomic_in_turn"] == pytest.approx(6 * 32768 * touched / lines, rel=0.1)
