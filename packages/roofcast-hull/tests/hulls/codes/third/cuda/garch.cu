#include <cuda_runtime.h>
#include <math.h>

// negative log likelihood of a GARCH(1,1) for many candidate parameters over one series
__global__ void garch_likelihood(const double *ret, const double *omega, const double *alpha, const double *beta, double *out,
                                 int days, int candidates)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= candidates) return;
    double w = omega[c], a = alpha[c], b = beta[c];
    double var = w / (1.0 - a - b);
    double nll = 0.0;
    for (int t = 0; t < days; t++) {
        double r2 = ret[t] * ret[t];
        nll += 0.5 * (log(var) + r2 / var);
        var = w + a * r2 + b * var;
    }
    out[c] = nll;
}

int main()
{
    const int days = 2520, candidates = 16384;
    double *ret, *w, *a, *b, *out;
    cudaMalloc(&ret, days * sizeof(double));
    cudaMalloc(&w, candidates * sizeof(double));
    cudaMalloc(&a, candidates * sizeof(double));
    cudaMalloc(&b, candidates * sizeof(double));
    cudaMalloc(&out, candidates * sizeof(double));
    garch_likelihood<<<candidates / 64, 64>>>(ret, w, a, b, out, days, candidates);
    cudaDeviceSynchronize();
    return 0;
}
