"""Files that no compiler would take: one line within seconds, nothing run, memory bounded."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofcast import read
from roofcast.core.errors import RoofcastError
from roofcast_hull.source.classify import classify_source
from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

HUGE = """__global__ void k(float *a, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    for (long j = 0; j < n; j++) for (long l = 0; l < n; l++) a[i] += j * l;
}
int main() { float *a; cudaMalloc(&a, 1L << 60); k<<<2147483647, 1024>>>(a, 1L << 50); }
"""
BOMB = """import os
os.system("touch {0}")
open("{0}", "w")
def f(a, b=[0] * 10**11):
    for i in range(10):
        b[i] = a[i]
f([0] * 10**12, "x" * 10**12)
"""
TILE = """__global__ void product(const float *a, const float *b, float *c) {
    __shared__ float as[16][64], bs[16][64];
    float sum[4][4] = {};
    int row = threadIdx.y * 4, col = threadIdx.x * 4;
    for (int t = 0; t < 256; t += 16) {
        for (int i = threadIdx.y * 16 + threadIdx.x; i < 1024; i += 256) {
            as[i / 64][i % 64] = a[(t + i / 64) * 64 + i % 64];
            bs[i / 64][i % 64] = b[(t + i / 64) * 64 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++)
            for (int m = 0; m < 4; m++)
                for (int n = 0; n < 4; n++) sum[m][n] += as[k][row + m] * bs[k][col + n];
        __syncthreads();
    }
    for (int m = 0; m < 4; m++)
        for (int n = 0; n < 4; n++) c[(row + m) * 64 + col + n] = sum[m][n];
}
int main() {
    float *a, *b, *c;
    cudaMalloc(&a, 65536); cudaMalloc(&b, 65536); cudaMalloc(&c, 16384);
    product<<<1, dim3(16, 16)>>>(a, b, c);
}
"""


def test_a_grid_of_billions_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / "huge.cu").write_text(HUGE, encoding="utf-8")
    with pytest.raises(SourceError, match=r"line 3: .* operations for each unit"):
        classify_source(str(tmp_path / "huge.cu"))


def test_python_is_read_and_never_run(tmp_path: Path) -> None:
    made = tmp_path / "made"
    (tmp_path / "bomb.py").write_text(BOMB.format(made), encoding="utf-8")
    [found] = classify_source(str(tmp_path / "bomb.py"))
    assert str(found.found) == "10|element → 10|element"
    assert not made.exists()


def test_other_encodings_are_read_and_what_is_no_text_is_not(tmp_path: Path) -> None:
    small = "// Größe\nvoid f(float *a) { for (int i = 0; i < 64; i++) a[i] = 2 * a[i]; }\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "latin-1"):
        (tmp_path / "code.c").write_bytes(small.encode(encoding))
        [found] = classify_source(str(tmp_path / "code.c"))
        assert str(found.found) == "64|element → 64|element"
    (tmp_path / "code.c").write_bytes(small.encode() + b"\0\1")
    with pytest.raises(RoofcastError, match="not a text file"):
        classify_source(str(tmp_path / "code.c"))


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("deep.c", f"void f(float *a) {{ a[0] = {'(' * 3000}1{')' * 3000}; }}", "nested too deeply"),
        ("cut.c", "void g(float *a) {\n for (int i = 0; i < 9; i++)\n", "line 2: the file ends inside of a function"),
        ("empty.py", "", "the file has no function and no loop"),
        ("f.py", "import numpy as np\ndef f(a):\n    return np.abs(a)\n", "call it on arrays"),
        ("code.ipynb", "{}", "a notebook"),
    ],
)
def test_reasons_are_those_of_the_file(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(RoofcastError, match=says):
        classify_source(str(tmp_path / name))


def test_a_tile_of_registers_reads_each_of_its_rows_and_columns_once(tmp_path: Path) -> None:
    (tmp_path / "tile.cu").write_text(TILE, encoding="utf-8")
    moved = float(read(tmp_path / "tile.cu").column("bytes_shared")[0])
    # 8 warps, 16 tiles: of 16 k each 4 rows by one load of 16 bytes (two addresses: once) and 4 columns by another (16
    # addresses, all banks twice), and 8 stores of a tile; 128 bytes each time.
    assert moved == pytest.approx(128 * 8 * 16 * (16 * (1 + 2) + 8), rel=0.02)


def test_a_function_of_cpp_that_has_no_plain_form_says_why_and_where(tmp_path: Path) -> None:
    path = tmp_path / "totals.cpp"
    path.write_text(
        "#include <map>\n#include <vector>\n"
        "void count(const std::vector<int> &keys, std::map<int, int> &totals) {\n"
        "  for (size_t i = 0; i < keys.size(); ++i)\n    totals[keys[i]] += 1;\n}\n",
        encoding="utf-8",
    )
    for name in (str(path), f"{path}:count"):
        with pytest.raises(SourceError, match=r"line 5: type 'std::map<int, int>'"):
            classify_source(name)


def test_whoever_waits_for_a_folder_is_told_which_file_is_read(tmp_path: Path) -> None:
    from roofcast.reading import read_watched

    for name in ("one.cu", "two.cu"):
        (tmp_path / name).write_text(TILE, encoding="utf-8")
    seen: list[tuple[str, float]] = []
    assert len(read_watched([str(tmp_path)], None, lambda what, share: seen.append((what, share)))) == 2
    assert sorted(share for _, share in seen) == [0, 0.5]
    assert {what for what, _ in seen} == {"reading one.cu", "reading two.cu"}
