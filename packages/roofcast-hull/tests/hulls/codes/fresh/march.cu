// Seven points of a volume; a thread walks along z and keeps the planes it needs in registers.
#include <cuda_runtime.h>

constexpr int NX = 256, NY = 256, NZ = 256;

__global__ void march(const float *__restrict__ in, float *__restrict__ out, float c0, float c1, int nx, int ny, int nz) {
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix < 1 || iy < 1 || ix >= nx - 1 || iy >= ny - 1) return;
    const int stride = nx * ny;
    int idx = iy * nx + ix;
    float behind = in[idx];
    float current = in[idx + stride];
    for (int iz = 1; iz < nz - 1; iz++) {
        idx += stride;
        float front = in[idx + stride];
        out[idx] = c0 * current + c1 * (behind + front + in[idx - 1] + in[idx + 1] + in[idx - nx] + in[idx + nx]);
        behind = current;
        current = front;
    }
}

int main(int argc, char **argv) {
    float *d_in, *d_out;
    size_t bytes = sizeof(float) * NX * NY * NZ;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    dim3 block(32, 8), grid(NX / block.x, NY / block.y);
    march<<<grid, block>>>(d_in, d_out, 0.4f, 0.1f, NX, NY, NZ);
    cudaDeviceSynchronize();
}
