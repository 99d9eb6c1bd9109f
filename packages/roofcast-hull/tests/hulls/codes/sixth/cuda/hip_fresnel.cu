// Angular-spectrum propagation of an optical field: the spectrum is multiplied by the separable Fresnel transfer function
// and by the normalisation of the inverse transform. Built with hipcc.
#include <hip/hip_runtime.h>
#include <hip/hip_complex.h>
#include <cmath>
#include <cstdio>
#include <vector>

const int ROWS = 1536;
const int COLS = 2048;

__device__ static hipFloatComplex cmul(hipFloatComplex a, hipFloatComplex b)
{
    return make_hipFloatComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__global__ void apply_transfer(hipFloatComplex *spectrum, const hipFloatComplex *hx, const hipFloatComplex *hy, float scale)
{
    const int col = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    const int row = hipBlockIdx_y * hipBlockDim_y + hipThreadIdx_y;
    if (col < COLS && row < ROWS) {
        const int at = row * COLS + col;
        hipFloatComplex v = cmul(spectrum[at], cmul(hx[col], hy[row]));
        v.x *= scale;
        v.y *= scale;
        spectrum[at] = v;
    }
}

static std::vector<hipFloatComplex> factors(int n, double pixel, double lambda, double z)
{
    std::vector<hipFloatComplex> h(n);
    for (int i = 0; i < n; ++i) {
        const int k = i < n / 2 ? i : i - n;
        const double f = k / (n * pixel);
        const double phase = -M_PI * lambda * z * f * f;
        h[i] = make_hipFloatComplex(std::cos(phase), std::sin(phase));
    }
    return h;
}

int main()
{
    const size_t n = size_t(ROWS) * COLS;
    auto hx = factors(COLS, 3.45e-6, 633e-9, 0.12);
    auto hy = factors(ROWS, 3.45e-6, 633e-9, 0.12);
    hipFloatComplex *d_spec, *d_hx, *d_hy;
    if (hipMalloc((void **)&d_spec, n * sizeof(hipFloatComplex)) != hipSuccess) return 1;
    if (hipMalloc((void **)&d_hx, COLS * sizeof(hipFloatComplex)) != hipSuccess) return 1;
    if (hipMalloc((void **)&d_hy, ROWS * sizeof(hipFloatComplex)) != hipSuccess) return 1;
    std::vector<hipFloatComplex> spec(n, make_hipFloatComplex(1.f, 0.f));
    hipMemcpy(d_spec, spec.data(), n * sizeof(hipFloatComplex), hipMemcpyHostToDevice);
    hipMemcpy(d_hx, hx.data(), COLS * sizeof(hipFloatComplex), hipMemcpyHostToDevice);
    hipMemcpy(d_hy, hy.data(), ROWS * sizeof(hipFloatComplex), hipMemcpyHostToDevice);

    dim3 threads(32, 8);
    dim3 blocks((COLS + 31) / 32, (ROWS + 7) / 8);
    apply_transfer<<<blocks, threads>>>(d_spec, d_hx, d_hy, 1.0f / n);
    hipDeviceSynchronize();

    hipMemcpy(spec.data(), d_spec, n * sizeof(hipFloatComplex), hipMemcpyDeviceToHost);
    printf("%g %g\n", spec[5].x, spec[5].y);
    hipFree(d_spec);
    hipFree(d_hx);
    hipFree(d_hy);
    return 0;
}
