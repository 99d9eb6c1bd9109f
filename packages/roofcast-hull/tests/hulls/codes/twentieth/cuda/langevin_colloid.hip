#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>

// overdamped colloids in an optical lattice; noise from a counter hash
struct Colloids { float *x, *y; };
struct Trap { float k, amp, dt, noise; };

static const int COUNT = 3000000;

__device__ unsigned hash32(unsigned v)
{
    v ^= v >> 16; v *= 0x7feb352du;
    v ^= v >> 15; v *= 0x846ca68bu;
    v ^= v >> 16;
    return v;
}

__global__ void drift(Colloids c, Trap t, unsigned step)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < COUNT; i += blockDim.x * gridDim.x) {
        float x = c.x[i], y = c.y[i];
        unsigned h = hash32(i * 747796405u + step);
        float nx = (h & 0xffff) * (1.f / 32768.f) - 1.f;
        float ny = (h >> 16) * (1.f / 32768.f) - 1.f;
        float fx = -t.amp * t.k * sinf(t.k * x);
        float fy = -t.amp * t.k * sinf(t.k * y);
        c.x[i] = x + t.dt * fx + t.noise * nx;
        c.y[i] = y + t.dt * fy + t.noise * ny;
    }
}

__global__ void displacement(Colloids now, Colloids start, float* msd)
{
    __shared__ float acc;
    if (threadIdx.x == 0) acc = 0.f;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) {
        float dx = now.x[i] - start.x[i], dy = now.y[i] - start.y[i];
        atomicAdd(&acc, dx * dx + dy * dy);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(msd, acc);
}

int main()
{
    Colloids now, start; float* msd;
    float* h = (float*)malloc(COUNT * sizeof(float));
    for (int i = 0; i < COUNT; ++i) h[i] = (i % 1733) * 0.01f;
    hipMalloc((void**)&now.x, COUNT * sizeof(float));
    hipMalloc((void**)&now.y, COUNT * sizeof(float));
    hipMalloc((void**)&start.x, COUNT * sizeof(float));
    hipMalloc((void**)&start.y, COUNT * sizeof(float));
    hipMalloc((void**)&msd, sizeof(float));
    hipMemcpy(now.x, h, COUNT * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(now.y, h, COUNT * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(start.x, h, COUNT * sizeof(float), hipMemcpyHostToDevice);
    hipMemcpy(start.y, h, COUNT * sizeof(float), hipMemcpyHostToDevice);
    hipMemset(msd, 0, sizeof(float));
    Trap t = { 6.2831853f, 0.4f, 1e-3f, 0.03f };
    for (unsigned s = 0; s < 20; ++s)
        hipLaunchKernelGGL(drift, dim3(1024), dim3(256), 0, 0, now, t, s);
    hipLaunchKernelGGL(displacement, dim3((COUNT + 255) / 256), dim3(256), 0, 0, now, start, msd);
    float m;
    hipMemcpy(&m, msd, sizeof m, hipMemcpyDeviceToHost);
    printf("%g\n", m / COUNT);
    free(h);
    return 0;
}
