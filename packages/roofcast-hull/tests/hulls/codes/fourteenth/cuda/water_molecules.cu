// Centres of mass and dipoles of rigid water, one thread a molecule (O H H, xyz interleaved).
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

const int MOLECULES = 200000;

__global__ void centre_of_mass(const double *xyz, double *com, int nmol)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= nmol) return;
    const double mass[3] = {15.999, 1.008, 1.008};
    const double total = 15.999 + 1.008 + 1.008;
    const double *p = xyz + 9 * m;
    for (int d = 0; d < 3; d++) {
        double s = 0.0;
        for (int a = 0; a < 3; a++)
            s += mass[a] * p[3 * a + d];
        com[3 * m + d] = s / total;
    }
}

__global__ void dipole_z_sum(const double *xyz, double *mu, int nmol)
{
    __shared__ double tree[128];
    int m = blockIdx.x * 128 + threadIdx.x;
    double z = 0.0;
    if (m < nmol)
        z = 0.4238 * (xyz[9 * m + 5] + xyz[9 * m + 8]) - 0.8476 * xyz[9 * m + 2];
    tree[threadIdx.x] = z;
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) {
        if (threadIdx.x < k) tree[threadIdx.x] += tree[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(mu, tree[0]);
}

int main()
{
    size_t bytes = sizeof(double) * 9 * MOLECULES;
    double *h = (double *)malloc(bytes);
    for (int i = 0; i < 9 * MOLECULES; i++) h[i] = (double)rand() / RAND_MAX;
    double *xyz, *com, *mu, out = 0.0;
    cudaMalloc(&xyz, bytes);
    cudaMalloc(&com, sizeof(double) * 3 * MOLECULES);
    cudaMalloc(&mu, sizeof(double));
    cudaMemcpy(xyz, h, bytes, cudaMemcpyHostToDevice);
    cudaMemset(mu, 0, sizeof(double));
    int blocks = (MOLECULES + 127) / 128;
    centre_of_mass<<<blocks, 128>>>(xyz, com, MOLECULES);
    dipole_z_sum<<<blocks, 128>>>(xyz, mu, MOLECULES);
    cudaMemcpy(&out, mu, sizeof(double), cudaMemcpyDeviceToHost);
    printf("dipole along z: %f\n", out);
    free(h);
    return 0;
}
