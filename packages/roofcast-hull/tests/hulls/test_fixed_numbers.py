"""A named number of the launch's numbers is computed once, and no work on data: the same for all that read a kernel."""

from __future__ import annotations

import pytest

from roofcast_hull.notation import Pattern
from roofcast_hull.source.classify import classify_text, try_footprint
from roofcast_hull.source.nest import SourceError

HOST = """
int main() {{
    float *x, *y;
    cudaMalloc(&x, 1048576 * sizeof(float));
    cudaMalloc(&y, 1048576 * sizeof(float));
    {before}
    f<<<4096, 256>>>(x, y, {given});
}}
"""
INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
GIVEN = "0.5f, 3.0f, 1048576"
KERNELS = {
    "a difference of parameters": (f"{INDEX} if (i < n) y[i] = (1.0f - a) * x[i] + a * b * y[i];", GIVEN, "", "", 5),
    "a local of parameters": (f"const float r = 1.0f / a; {INDEX} y[i] = b * tanhf(x[i] * r);", GIVEN, "", "", 3),
    "a call of parameters": (
        f"{INDEX} float grows = expf((b - 0.5f * a * a) * sqrtf(b)), again = grows * b; y[i] = x[i] * again;", GIVEN,
        "", "", 1,
    ),
    "a constant of the preprocessor": (
        f"const float share = (1.0f - a) / TAPS; {INDEX} y[i] = share * x[i];", GIVEN, "", "#define TAPS 8", 1,
    ),
    "a local that is changed": (f"float r = a * b; {INDEX} r = r * x[i]; y[i] = r + 1.0f;", GIVEN, "", "", 3),
    "a counter is none": (
        f"{INDEX} float s = 0.0f; for (int k = 0; k < 8; k++) s += k * a * x[i]; y[i] = s;", GIVEN, "", "", 24,
    ),
    "a place is none": (f"{INDEX} y[i] = x[i] * (a * i);", GIVEN, "", "", 2),
    "a function is given data": (
        f"{INDEX} y[i] = bend(x[i], a);", GIVEN, "",
        "__device__ float bend(float v, float c) { const float w = v * v, d = c * c; return w * d + v; }", 3,
    ),
    "a functor is given data": (
        f"{INDEX} y[i] = Bend()(x[i]);", GIVEN, "",
        "struct Bend { __device__ float operator()(float v) const { return v * v + 1.0f; } };", 2,
    ),
    "members": (
        f"{INDEX} const float gone = 1.0f - h.keep, twice = h.keep * h.keep; y[i] = gone * x[i] + twice * y[i];",
        "h, 1048576", "Hyper h = {0.5f, 1.0f};",
        "struct Hyper { float keep, rate; };", 3,
    ),
    "all bits turned": (f"{INDEX} y[i] = (float)(~(int)x[i] & 15);", GIVEN, "", "", 2),
    "a member of what a function makes": (
        f"{INDEX} V p = {{x[i], x[i], a}}; V q = {{a, x[i], b}}; y[i] = p.dot(q.cross(p));", GIVEN, "",
        "struct V { float x, y, z; __device__ float dot(const V& o) const { return x * o.x + y * o.y + z * o.z; } "
        "__device__ V cross(const V& o) const { return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x}; }};",
        14,
    ),
}  # fmt: skip


def write(name: str) -> tuple[str, float]:
    body, given, before, above, each = KERNELS[name]
    parameters = "Hyper h, int n" if "Hyper" in above else "float a, float b, int n"
    kernel = f"{above}\n__global__ void f(const float *x, float *y, {parameters}) {{ {body} }}"
    return kernel + HOST.format(given=given, before=before), each * 1048576.0


@pytest.mark.parametrize("name", KERNELS)
def test_operations_are_those_on_data(name: str) -> None:
    text, operations = write(name)
    followed = try_footprint(text, "c", {}, "f")
    assert followed is not None
    assert [f.operations for f in followed] == pytest.approx([operations], rel=0.002)
    assert [f.operations for f in classify_text(text, "c", {}, "f")] == pytest.approx([operations], rel=0.002)


def test_a_nest_of_c_counts_alike() -> None:
    text = """
    #define N 4096
    static double x[N], y[N];
    void blend(double a, double b) {
        double keep = 1.0 - a, gain = sqrt(a * b);
        for (int i = 0; i < N; i++) y[i] = keep * y[i] + gain * (1.0 - keep) * x[i];
    }
    int main(void) { double a = 0.25; blend(a, 2.0); return 0; }
    """
    followed = try_footprint(text, "c", {}, "blend")
    assert followed is not None
    assert [f.operations for f in followed] == pytest.approx([5 * 4096], rel=0.002)
    assert [f.operations for f in classify_text(text, "c", {}, "blend")] == pytest.approx([5 * 4096], rel=0.002)


@pytest.mark.parametrize("counts", ["if (cells[r][c] == 3) lost++;", "if (cells[r][c] == 3) lost += 1;"])
def test_what_stands_under_an_equality_counts_each_time(counts: str) -> None:
    text = f"""
    static unsigned char cells[300][400];
    static long count(void) {{
        long lost = 0;
        for (int r = 0; r < 300; r++)
            for (int c = 0; c < 400; c++)
                {counts}
        return lost;
    }}
    int main(void) {{ return (int)count(); }}
    """
    followed = try_footprint(text, "c", {}, "count")
    assert followed is not None
    assert [f.operations for f in followed] == [2 * 300 * 400]


PAIRS = """
#define N 4096
__global__ void pairs(const float *x, unsigned *bins) {
    __shared__ unsigned local[64];
    __shared__ float other[128];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    float mine = x[blockIdx.x * 128 + threadIdx.x];
    for (int first = 0; first < N; first += 128) {
        __syncthreads();
        other[threadIdx.x] = x[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float d = mine - other[k];
            if (d * d < 4.0f) atomicAdd(&local[(int)(fabsf(d) * 16.0f)], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
int main() {
    float *x; unsigned *bins;
    cudaMalloc(&x, N * sizeof(float)); cudaMalloc(&bins, 64 * sizeof(unsigned));
    pairs<<<N / 128, 128>>>(x, bins);
}
"""


def test_blocks_of_a_histogram_of_pairs_share_what_they_read() -> None:
    try:
        classes = classify_text(PAIRS, "c", {}, "pairs")
    except SourceError:
        return
    assert any(p.pattern is Pattern.FULL for p in classes[0].found.inputs)
