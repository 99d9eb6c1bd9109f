// Boris push of charged particles in uniform fields; an array of structures.
#include <cuda_runtime.h>
#include <cstdlib>

struct Particle {
    double x, y, z;
    double vx, vy, vz;
};

__global__ void boris_push(Particle *p, int n, double3 e, double3 b, double qmdt2, double dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle q = p[i];
        double ux = q.vx + qmdt2 * e.x, uy = q.vy + qmdt2 * e.y, uz = q.vz + qmdt2 * e.z;
        double tx = qmdt2 * b.x, ty = qmdt2 * b.y, tz = qmdt2 * b.z;
        double f = 2.0 / (1.0 + tx * tx + ty * ty + tz * tz);
        double px = ux + uy * tz - uz * ty;
        double py = uy + uz * tx - ux * tz;
        double pz = uz + ux * ty - uy * tx;
        ux += f * (py * tz - pz * ty);
        uy += f * (pz * tx - px * tz);
        uz += f * (px * ty - py * tx);
        q.vx = ux + qmdt2 * e.x;
        q.vy = uy + qmdt2 * e.y;
        q.vz = uz + qmdt2 * e.z;
        q.x += q.vx * dt;
        q.y += q.vy * dt;
        q.z += q.vz * dt;
        p[i] = q;
    }
}

int main()
{
    const int n = 500000;
    Particle *p;
    if (cudaMalloc(&p, n * sizeof(Particle)) != cudaSuccess) exit(1);
    double3 e = {0.0, 0.1, 0.0}, b = {0.0, 0.0, 1.0};
    for (int t = 0; t < 200; t++)
        boris_push<<<(n + 63) / 64, 64>>>(p, n, e, b, 0.05, 0.1);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
