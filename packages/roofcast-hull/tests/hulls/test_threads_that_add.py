"""Sums of which threads, or groups of them, add several terms: these are the units."""

from __future__ import annotations

import pytest

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")
pytest.importorskip("clang", reason="the extra 'source' is not installed")

from roofcast_hull.source.footprint_class import classify_footprint

PAIRS = """
struct Point {{ float x, y, z; }};
__global__ void pairs(const Point *at, unsigned *bins) {{
    {declared}
    int i = blockIdx.x * 32 + threadIdx.x;
    Point p = at[i];
    for (int j = 0; j < 128; j++) {{
        float dx = p.x - at[j].x, dy = p.y - at[j].y, dz = p.z - at[j].z;
        int b = (int)sqrtf(dx * dx + dy * dy + dz * dz);
        if (b < 32) atomicAdd(&{where}[b], 1u);
    }}
    {after}
}}
int main() {{
    Point *p; unsigned *b;
    cudaMalloc(&p, 128 * sizeof(Point)); cudaMalloc(&b, 128);
    pairs<<<4, 32>>>(p, b);
}}
"""
SHARED = "__shared__ unsigned h[32]; if (threadIdx.x < 32) h[threadIdx.x] = 0; __syncthreads();"
LEFT = "__syncthreads(); if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);"


@pytest.mark.parametrize(("declared", "where", "after"), [("", "bins", ""), (SHARED, "h", LEFT)])
def test_all_pairs_are_of_their_first_point(declared: str, where: str, after: str) -> None:
    found = classify_footprint(PAIRS.format(declared=declared, where=where, after=after), {}, "pairs")
    assert str(found.found) == "128|element ∧ 128|full → 32|shared"


GRADIENT = """
__global__ void gradient(const float *x, const float *w, const float *y, float *g) {
    int lane = threadIdx.x % 32, s = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float z = 0.0f;
    for (int f = lane; f < 96; f += 32) z += x[s * 96 + f] * w[f];
    for (int o = 16; o; o >>= 1) z += __shfl_xor_sync(0xffffffffu, z, o);
    float e = z - y[s];
    for (int f = lane; f < 96; f += 32) atomicAdd(&g[f], e * x[s * 96 + f]);
}
int main() {
    float *x, *w, *y, *g;
    cudaMalloc(&x, 128 * 96 * 4); cudaMalloc(&w, 96 * 4); cudaMalloc(&y, 128 * 4); cudaMalloc(&g, 96 * 4);
    gradient<<<32, 128>>>(x, w, y, g);
}
"""


def test_a_warp_that_adds_a_row_is_a_unit() -> None:
    found = classify_footprint(GRADIENT, {}, "gradient")
    parts = sorted(f"{p.elements}|{p.pattern}" for p in found.found.inputs)
    assert parts == ["12288|tile", "128|element", "96|full"]
    assert str(found.found).endswith("→ 96|shared")
    # The error is one number of a row: 32 threads have it.
    assert found.operations <= 128 * (4 * 96 + 1 + 96)
