// first quarter of an AO to MO transformation and the exchange energy of a density
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define NAO 64
#define NMO 24
#define IDX4(p, q, r, s) ((((size_t)(p) * NAO + (q)) * NAO + (r)) * NAO + (s))

// (iq|rs) = sum_p C_pi (pq|rs)
__global__ void quarter(const double* eri, const double* C, double* half)
{
    int s = threadIdx.x;
    int r = blockIdx.x;
    int q = blockIdx.y;
    double acc[NMO];
    for (int i = 0; i < NMO; ++i) acc[i] = 0.0;
    for (int p = 0; p < NAO; ++p) {
        double g = eri[IDX4(p, q, r, s)];
        for (int i = 0; i < NMO; ++i) acc[i] += C[p * NMO + i] * g;
    }
    for (int i = 0; i < NMO; ++i) half[IDX4(i, q, r, s)] = acc[i];
}

__global__ void exchange_matrix(const double* eri, const double* D, double* K)
{
    const int p = blockIdx.x, r = blockIdx.y, s = threadIdx.x;
    double k = 0;
    for (int q = 0; q < NAO; ++q) k += eri[IDX4(p, q, r, s)] * D[q * NAO + s];
    __shared__ double red[NAO];
    red[s] = k;
    __syncthreads();
    for (int h = NAO / 2; h; h >>= 1) {
        if (s < h) red[s] += red[s + h];
        __syncthreads();
    }
    if (s == 0) K[p * NAO + r] = red[0];
}

int main()
{
    const size_t n4 = (size_t)NAO * NAO * NAO * NAO;
    std::vector<double> eri(n4), C(NAO * NMO), D(NAO * NAO);
    for (size_t i = 0; i < n4; ++i) eri[i] = 1.0 / (1.0 + (double)(i % 4099));
    for (int i = 0; i < NAO * NMO; ++i) C[i] = ((i * 31) % 17 - 8) * 0.05;
    for (int i = 0; i < NAO * NAO; ++i) D[i] = ((i * 13) % 19 - 9) * 0.02;
    double *deri, *dC, *dD, *dh, *dK;
    hipMalloc((void**)&deri, n4 * sizeof(double));
    hipMalloc((void**)&dh, (size_t)NMO * NAO * NAO * NAO * sizeof(double));
    hipMalloc((void**)&dC, NAO * NMO * sizeof(double));
    hipMalloc((void**)&dD, NAO * NAO * sizeof(double));
    hipMalloc((void**)&dK, NAO * NAO * sizeof(double));
    hipMemcpy(deri, eri.data(), n4 * sizeof(double), hipMemcpyHostToDevice);
    hipMemcpy(dC, C.data(), C.size() * sizeof(double), hipMemcpyHostToDevice);
    hipMemcpy(dD, D.data(), D.size() * sizeof(double), hipMemcpyHostToDevice);
    quarter<<<dim3(NAO, NAO), NAO>>>(deri, dC, dh);
    exchange_matrix<<<dim3(NAO, NAO), NAO>>>(deri, dD, dK);
    double k;
    hipMemcpy(&k, dK + 5, sizeof k, hipMemcpyDeviceToHost);
    printf("%.10f\n", k);
    return 0;
}
