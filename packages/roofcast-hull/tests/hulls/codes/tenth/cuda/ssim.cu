// Structural similarity map of two grey frames, uniform 7x7 windows that lie inside of the frames.
// By hand: 8 operations a tap (5 sums, 3 products), 22 for the index. Tiles of both frames in shared memory.
// Verified: operations of a unit with self-counting numbers in Python; compiled with nvcc, not run.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define W 1920
#define H 1080
#define WIN 7
#define OUT_W (W - WIN + 1)
#define OUT_H (H - WIN + 1)
#define BX 32
#define BY 8
#define TX (BX + WIN - 1)
#define TY (BY + WIN - 1)

#define SAFE(call)                                                     \
    do {                                                               \
        cudaError_t rc = call;                                         \
        if (rc != cudaSuccess) {                                       \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(rc)); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

__global__ void ssim_map(const float *ref, const float *dist, float *map, float C1, float C2)
{
    __shared__ float ta[TY][TX];
    __shared__ float tb[TY][TX];
    const int x0 = blockIdx.x * BX, y0 = blockIdx.y * BY;

    for (int t = threadIdx.y * BX + threadIdx.x; t < TX * TY; t += BX * BY) {
        const int ty = t / TX, tx = t % TX;
        const int gy = y0 + ty, gx = x0 + tx;
        if (gy < H && gx < W) {
            ta[ty][tx] = ref[gy * W + gx];
            tb[ty][tx] = dist[gy * W + gx];
        }
    }
    __syncthreads();

    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x >= OUT_W || y >= OUT_H) return;

    float sa = 0.f, sb = 0.f, saa = 0.f, sbb = 0.f, sab = 0.f;
#pragma unroll
    for (int v = 0; v < WIN; v++)
#pragma unroll
        for (int u = 0; u < WIN; u++) {
            const float a = ta[threadIdx.y + v][threadIdx.x + u];
            const float b = tb[threadIdx.y + v][threadIdx.x + u];
            sa += a;
            sb += b;
            saa += a * a;
            sbb += b * b;
            sab += a * b;
        }
    const float inv = 1.0f / (WIN * WIN);
    const float ma = sa * inv, mb = sb * inv;
    const float maa = ma * ma, mbb = mb * mb, mab = ma * mb;
    const float va = saa * inv - maa;
    const float vb = sbb * inv - mbb;
    const float cov = sab * inv - mab;
    map[y * OUT_W + x] = ((2.0f * mab + C1) * (2.0f * cov + C2)) / ((maa + mbb + C1) * (va + vb + C2));
}

int main()
{
    const size_t in_bytes = sizeof(float) * W * H, out_bytes = sizeof(float) * OUT_W * OUT_H;
    float *h_ref = (float *)malloc(in_bytes), *h_dist = (float *)malloc(in_bytes), *h_map = (float *)malloc(out_bytes);
    for (int i = 0; i < W * H; i++) {
        h_ref[i] = (float)((i * 7 + i / W * 13) & 255);
        h_dist[i] = h_ref[i] + (rand() % 21 - 10);
    }
    float *d_ref, *d_dist, *d_map;
    SAFE(cudaMalloc(&d_ref, in_bytes));
    SAFE(cudaMalloc(&d_dist, in_bytes));
    SAFE(cudaMalloc(&d_map, out_bytes));
    SAFE(cudaMemcpy(d_ref, h_ref, in_bytes, cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(d_dist, h_dist, in_bytes, cudaMemcpyHostToDevice));

    const float L = 255.0f;
    dim3 threads(BX, BY), blocks((OUT_W + BX - 1) / BX, (OUT_H + BY - 1) / BY);
    ssim_map<<<blocks, threads>>>(d_ref, d_dist, d_map, 0.01f * L * 0.01f * L, 0.03f * L * 0.03f * L);
    SAFE(cudaGetLastError());
    SAFE(cudaDeviceSynchronize());
    SAFE(cudaMemcpy(h_map, d_map, out_bytes, cudaMemcpyDeviceToHost));

    double mean = 0.0;
    for (int i = 0; i < OUT_W * OUT_H; i++) mean += h_map[i];
    printf("mean SSIM %.5f\n", mean / (OUT_W * OUT_H));
    cudaFree(d_ref); cudaFree(d_dist); cudaFree(d_map);
    free(h_ref); free(h_dist); free(h_map);
    return 0;
}
