// Volumes of tetrahedra, lumped nodal masses, and the accelerations that follow from nodal forces.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

const int NODES = 300000;
const int TETS = 1500000;

__global__ void volumes(const int4 *tet, const double *x, const double *y, const double *z, double *vol)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= TETS) return;
    int4 t = tet[e];
    double ax = x[t.y] - x[t.x], ay = y[t.y] - y[t.x], az = z[t.y] - z[t.x];
    double bx = x[t.z] - x[t.x], by = y[t.z] - y[t.x], bz = z[t.z] - z[t.x];
    double cx = x[t.w] - x[t.x], cy = y[t.w] - y[t.x], cz = z[t.w] - z[t.x];
    double det = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    vol[e] = det / 6.0;
}

__global__ void lump(const int4 *tet, const double *vol, const float *density, double *mass)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= TETS) return;
    int4 t = tet[e];
    double share = 0.25 * density[e] * vol[e];
    atomicAdd(mass + t.x, share);
    atomicAdd(mass + t.y, share);
    atomicAdd(mass + t.z, share);
    atomicAdd(mass + t.w, share);
}

__global__ void accelerate(const double3 *force, const double *mass, double3 *acc)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= NODES) return;
    double im = 1.0 / (mass[v] + 1e-30);
    double3 f = force[v];
    acc[v] = make_double3(f.x * im, f.y * im, f.z * im);
}

int main()
{
    std::vector<int4> t(TETS);
    std::vector<double> c(NODES * 3);
    std::vector<float> rho(TETS, 1.2f);
    for (int e = 0; e < TETS; ++e) {
        int b = (int)((e * 7919ll) % (NODES - 600));
        t[e] = make_int4(b, b + 1, b + 37, b + 577);
    }
    for (int i = 0; i < NODES * 3; ++i) c[i] = (i * 31 % 1009) * 0.001;
    int4 *tet;
    double *xyz, *vol, *mass, m;
    double3 *f, *a;
    float *d;
    cudaMalloc(&tet, TETS * sizeof(int4));
    cudaMalloc(&xyz, 3 * NODES * sizeof(double));
    cudaMalloc(&vol, TETS * sizeof(double));
    cudaMalloc(&mass, NODES * sizeof(double));
    cudaMalloc(&f, NODES * sizeof(double3));
    cudaMalloc(&a, NODES * sizeof(double3));
    cudaMalloc(&d, TETS * sizeof(float));
    cudaMemcpy(tet, t.data(), TETS * sizeof(int4), cudaMemcpyHostToDevice);
    cudaMemcpy(xyz, c.data(), 3 * NODES * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(f, c.data(), 3 * NODES * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d, rho.data(), TETS * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(mass, 0, NODES * sizeof(double));
    volumes<<<(TETS + 127) / 128, 128>>>(tet, xyz, xyz + NODES, xyz + 2 * NODES, vol);
    lump<<<(TETS + 127) / 128, 128>>>(tet, vol, d, mass);
    accelerate<<<(NODES + 127) / 128, 128>>>(f, mass, a);
    cudaMemcpy(&m, mass + 100, sizeof m, cudaMemcpyDeviceToHost);
    printf("%g\n", m);
}
