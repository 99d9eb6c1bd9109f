"""What commands say of source code: every launch, every reason, and nothing that never was."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import roofcast
from hulls.test_code_rows import SAXPY
from roofcast.__main__ import main
from roofcast.reports.waterfall_figure import list_resources, write_waterfalls

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")


def write_file(folder: Path, text: str, name: str = "file.cu") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Exit code and everything that a command printed, in one line each."""
    code = main([*words])
    said = capsys.readouterr()
    return code, said.out + said.err


def test_why_a_forecast_of_code_is_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Seconds of each resource on the target; of a GPU that it never ran on nothing is said."""
    code, out = run(capsys, "forecast", write_file(tmp_path, SAXPY), "--to", "H100 SXM5 80GB", "--explain")
    assert code == 0
    block = out.partition("saxpy: source code -> H100 SXM5 80GB")[2]
    assert block.index("  L2 ") < block.index("  issue ") < block.index("  forecast ")
    assert "measured" not in block.partition("  - ")[0]
    assert "cause by cause" not in block


def test_a_picture_of_why_shows_the_resources(tmp_path: Path) -> None:
    """Of a kernel that ran nowhere there is nothing measured to begin with."""
    found = roofcast.forecast(roofcast.read(write_file(tmp_path, SAXPY)), ["H100 SXM5 80GB"])
    bars = list_resources(found, 0, 0)
    assert [label for label, _, _ in bars][-1] == "forecast"
    assert {"L2", "issue"} < {label for label, _, _ in bars}
    assert [s for _, _, s in bars[:-1]] == sorted((s for _, _, s in bars[:-1]), reverse=True)
    write_waterfalls(found, tmp_path / "why.svg")
    assert "source code" in (tmp_path / "why.svg").read_text(encoding="utf-8")


def test_a_kernel_of_a_file_alone_is_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a file is."""
    file = write_file(tmp_path, SAXPY)
    code, out = run(capsys, f"{file}:saxpy")
    assert code == 0
    assert "1 kernel" in out
    code, out = run(capsys, f"{file}x:saxpy")
    assert (code, out.count("\n")) == (2, 1)


SEARCH = """
__global__ void copy(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
__global__ void halve(const float *x, int *k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = 0;
    float v = x[i];
    while (v > 1.0f) { v *= 0.5f; c++; }
    k[i] = c;
}
int main() {
    int n = 1 << 20; float *x, *y; int *k;
    cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4); cudaMalloc(&k, n * 4);
    copy<<<n / 256, 256>>>(x, y, n);
    halve<<<n / 256, 256>>>(x, k);
    copy<<<n / 2048, 2048>>>(x, y, n);
}
"""


def test_each_launch_without_amounts_is_listed_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A loop that data end, and a block of more threads than any GPU starts."""
    path = write_file(tmp_path, SEARCH)
    code, out = run(capsys, "forecast", path, "--to", "H100 SXM5 80GB", "--format", "json")
    rows = json.loads(out)["forecasts"]
    assert code == 0
    assert [(r["kernel"], r["time_s"] is None) for r in rows] == [("copy", False), ("copy", True), ("halve", True)]
    assert "data decide how often this loop runs" in rows[2]["notes"][0]
    assert "2048" in rows[1]["notes"][0]
    assert json.loads(out)["totals"][0]["kernels_left_out"] == 2
    _, out = run(capsys, "inspect", path, "--format", "json")
    assert [k["kernel"] for k in json.loads(out)["kernels"]] == ["copy", "copy", "halve"]
    code, out = run(capsys, "advise", path, "--on", "H100 SXM5 80GB")
    assert (code, "2 without a forecast" in " ".join(out.split())) == (0, True)


ARGUMENT = """
__global__ void scale(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 3.0f; }
int main(int argc, char **argv) {
    int rows = atoi(argv[1]);
    float *x; cudaMalloc(&x, rows * sizeof(float));
    scale<<<(rows + 255) / 256, 256>>>(x, rows);
}
"""


def test_sizes_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What comes from argv is given as --size, and refusals name it."""
    path = write_file(tmp_path, ARGUMENT)
    code, out = run(capsys, "forecast", path, "--to", "H100 SXM5 80GB")
    assert (code, "--size rows=N" in out) == (2, True)
    for command in (("forecast", "--to", "H100 SXM5 80GB"), ("advise", "--on", "H100 SXM5 80GB"), ("inspect",)):
        code, out = run(capsys, command[0], path, *command[1:], "--size", "rows=1048576")
        assert (code, "scale" in out or "1 kernel" in out) == (0, True)
    _, out = run(capsys, "inspect", path, "--size", "rows=1048576", "--format", "json")
    assert json.loads(out)["kernels"][0]["derived"]["bytes_dram_read"] == 4 << 20
    code, out = run(capsys, "inspect", path, "--size", "columns=4")
    assert (code, "no such name" in out) == (2, True)


IMPOSSIBLE = {
    "__global__ void k(float *x) { x[threadIdx.x] = 1; } int main() { int n = 0; float *x; k<<<n, 32>>>(x); }":
        "a launch of 0 blocks",
    "__global__ void k(const lost_t *x, lost_t *y) { y[threadIdx.x] = x[threadIdx.x]; } int main() {"
    " lost_t *x, *y; k<<<1, 32>>>(x, y); }": "--size lost_t=B",
    "__global__ void k(float *x) { __shared__ float s[70000]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads();"
    " x[threadIdx.x] = s[31 - threadIdx.x]; } int main() { float *x; cudaMalloc(&x, 128); k<<<1, 32>>>(x); }":
        "of shared memory",
}  # fmt: skip


@pytest.mark.parametrize("code", IMPOSSIBLE)
def test_what_no_gpu_runs_has_no_time(code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No blocks, types that nobody declares, more shared memory than an SM has."""
    _, out = run(capsys, "forecast", write_file(tmp_path, code), "--to", "H100 SXM5 80GB")
    assert IMPOSSIBLE[code] in " ".join(out.split())


TWICE = """
template <typename T, int R> __global__ void twice(const T *x, T *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T s = 0;
    for (int k = 0; k < R; k++) s += x[i + k];
    y[i] = s;
}
__global__ void lost(const float *x, float *y) { int i = threadIdx.x; y[i] = nowhere_declared(x[i]); }
int main() {
    float *a, *b; double *p, *q;
    cudaMalloc(&a, 4096 * 4); cudaMalloc(&b, 4096 * 4); cudaMalloc(&p, 4096 * 8); cudaMalloc(&q, 4096 * 8);
    twice<float, 2><<<16, 128>>>(a, b);
    twice<double, 4><<<16, 128>>>(p, q);
}
"""


def test_registers_of_each_instance_beside_what_does_not_compile(tmp_path: Path) -> None:
    """One unknown name loses the registers of its kernel alone; each instance of a template has its own."""
    pytest.importorskip("nvidia", reason="the extra 'sass' is not installed")
    table = roofcast.read(write_file(tmp_path, TWICE))
    known = np.isfinite(table.column("loads_in_turn"))
    assert known.sum() == 2
    assert np.isfinite(table.column("regs_per_thread")[known]).all()


def test_one_kernel_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """FILE:KERNEL reads that kernel; another name is refused with those that there are."""
    path = write_file(tmp_path, SEARCH)
    assert [str(k) for k in roofcast.read(f"{path}:halve").strings("kernel")] == ["halve"]
    code, out = run(capsys, "inspect", f"{path}:half")
    assert (code, "it has copy, halve" in out) == (2, True)


def test_a_table_of_source_code_is_read_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What inspect writes has no times, and gives the forecast of the file."""
    table = str(tmp_path / "table.csv")
    code, _ = run(capsys, "inspect", write_file(tmp_path, SEARCH), "-o", table)
    assert code == 0
    rows = [
        json.loads(run(capsys, "forecast", f, "--to", "A100 SXM4 80GB", "--format", "json")[1])["forecasts"]
        for f in (table, str(tmp_path / "file.cu"))
    ]
    assert [r["time_s"] for r in rows[0]] == pytest.approx([r["time_s"] for r in rows[1]])
    code, out = run(capsys, "advise", table)
    assert (code, "--on GPU" in out) == (2, True)
