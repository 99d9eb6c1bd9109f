"""Loops that are too long to be followed turn by turn: one turn stands for many, whatever the loop does."""

from __future__ import annotations

import pytest

from roofcast_hull.source.footprint_class import classify_footprint

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")

HOST = """
int main() {
    int n = 65536, w = 64, h = 48, d = 160;
    float *x, *y, *z;
    cudaMalloc(&x, %s * sizeof(float)); cudaMalloc(&y, %s * sizeof(float)); cudaMalloc(&z, %s * sizeof(float));
    f<<<%s>>>(x, y, z%s);
}
"""
KERNELS = {
    "columns of a matrix": (
        "int i = blockIdx.x * 32 + threadIdx.x; float s = 0; for (int k = 0; k < n / 16; k++) s += x[k * w + i] * y[k];"
        " z[i] = s;",
        ("n / 16 * w", "n / 16", "w", "2, 32", ", n, w, h, d"),
        "4096x64|tile(4096x1) ∧ 4096|full → 64|element", 524288,
    ),
    "elements a grid apart": (
        "for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += 64 * gridDim.x) z[i] = 2 * x[i];",
        ("n", "n", "n", "4, 64", ", n, w, h, d"),
        "65536|element → 65536|element", 65536,
    ),
    "planes that registers hand on": (
        "int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y; int p = w * h, at = j * w + i;"
        " if (i == 0 || i == w - 1 || j == 0 || j == h - 1) return; float below, here = x[at], above = x[at + p];"
        " for (int k = 1; k < d - 1; k++) { below = here; here = above; int q = k * p + at; above = x[q + p];"
        " z[q] = below + here + above + x[q - 1] + x[q + 1] + x[q - w] + x[q + w]; }",
        ("d * h * w", "n", "d * h * w", "dim3(2, 6), dim3(32, 8)", ", n, w, h, d"),
        "160x48x64|neighbourhood(3x3x3) → 158x46x62|element", 2703168,
    ),
    "rows that a block divides by their sum": (
        "__shared__ float s[32]; int t = threadIdx.x; float a = 0; const float *r = x + blockIdx.x * n / 32;"
        " for (int i = t; i < n / 32; i += 32) a += r[i]; s[t] = a; __syncthreads();"
        " for (int o = 16; o > 0; o /= 2) { if (t < o) s[t] += s[t + o]; __syncthreads(); }"
        " for (int i = t; i < n / 32; i += 32) z[blockIdx.x * n / 32 + i] = r[i] / s[0];",
        ("h * n / 32", "n", "h * n / 32", "h, 32", ", n, w, h, d"),
        "98304|tile(2048) → 98304|tile(2048)", 196608,
    ),
    "a product in tiles": (
        "__shared__ float a[8][8], b[8][8]; int r = blockIdx.y * 8 + threadIdx.y, c = blockIdx.x * 8 + threadIdx.x;"
        " float s = 0; for (int k = 0; k < n / 32; k += 8) { a[threadIdx.y][threadIdx.x] = x[r * (n / 32) + k +"
        " threadIdx.x]; b[threadIdx.y][threadIdx.x] = y[(k + threadIdx.y) * w + c]; __syncthreads();"
        " for (int q = 0; q < 8; q++) s += a[threadIdx.y][q] * b[q][threadIdx.x]; __syncthreads(); } z[r * w + c] = s;",
        ("h * n / 32", "n / 32 * w", "h * w", "dim3(8, 6), dim3(8, 8)", ", n, w, h, d"),
        "98304|tile(2048) ∧ 2048x64|tile(2048x1) → 48x64|element", 12582912,
    ),
    "turns that do otherwise now and then": (
        "int i = blockIdx.x * 32 + threadIdx.x; float s = 0;"
        " for (int k = 0; k < 1000; k++) { s += x[k * w + i]; if (k % 100 == 99) s *= y[k / 100]; } z[i] = s;",
        ("1000 * w", "10", "w", "2, 32", ", n, w, h, d"),
        "1000x64|tile(1000x1) ∧ 10|full → 64|element", 64640,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_one_turn_stands_for_many(name: str) -> None:
    body, host, expected, operations = KERNELS[name]
    head = "__global__ void f(const float *x, const float *y, float *z, int n, int w, int h, int d)"
    found = classify_footprint(f"{head} {{ {body} }}" + HOST % host, {}, "f")
    assert str(found.found) == expected
    assert found.operations == pytest.approx(operations, rel=0.02)
