// Two-dimensional compact U(1) gauge field: plaquettes, then the force on both links of a site.
#include <cstdio>
#include <cmath>

constexpr unsigned L = 2048;                       // a power of two
__host__ __device__ constexpr unsigned wrap(unsigned i) { return i & (L - 1); }
__host__ __device__ constexpr unsigned at(unsigned y, unsigned x) { return wrap(y) * L + wrap(x); }

__global__ void plaquette_sine(const double2 *__restrict__ link, double *__restrict__ sine)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    const double2 here = link[at(y, x)];
    const double angle = here.x + link[at(y, x + 1)].y - link[at(y + 1, x)].x - here.y;
    sine[at(y, x)] = sin(angle);
}

__global__ void link_force(const double *__restrict__ sine, double2 *__restrict__ force, double beta)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    const double s = sine[at(y, x)];
    double2 f;
    f.x = beta * (sine[at(y - 1, x)] - s);
    f.y = beta * (s - sine[at(y, x - 1)]);
    force[at(y, x)] = f;
}

int main()
{
    double2 *link, *force;
    double *sine;
    cudaMallocManaged(&link, L * L * sizeof(double2));
    cudaMallocManaged(&force, L * L * sizeof(double2));
    cudaMallocManaged(&sine, L * L * sizeof(double));
    for (unsigned i = 0; i < L * L; i++) link[i] = make_double2(sin(0.1 * i), cos(0.07 * i));
    const dim3 block(32, 8), grid(L / 32, L / 8);
    plaquette_sine<<<grid, block>>>(link, sine);
    link_force<<<grid, block>>>(sine, force, 2.5);
    cudaDeviceSynchronize();
    printf("%g %g\n", sine[3], force[L].y);
}
