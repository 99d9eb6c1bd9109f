#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>

const int IW = 1280, IH = 960, THETAS = 180, RHOS = 1600;

__constant__ float2 dir[THETAS];

// pixels of the edge map vote for every angle
__global__ void vote(const unsigned char *edge, int *acc)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= IW || y >= IH) return;
    if (!edge[y * IW + x]) return;
    for (int a = 0; a < THETAS; a++) {
        float rho = (x - IW / 2) * dir[a].x + (y - IH / 2) * dir[a].y;
        int bin = (int)(rho + RHOS / 2);
        atomicAdd(&acc[a * RHOS + bin], 1);
    }
}

// keep cells that beat a threshold and are not below their neighbours in rho and theta
__global__ void peaks(const int *acc, unsigned char *peak, int threshold)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    int a = blockIdx.y;
    if (r < 1 || r >= RHOS - 1 || a < 1 || a >= THETAS - 1) return;
    int v = acc[a * RHOS + r];
    peak[a * RHOS + r] = v > threshold && v >= acc[a * RHOS + r - 1] && v >= acc[a * RHOS + r + 1] &&
                         v >= acc[(a - 1) * RHOS + r] && v >= acc[(a + 1) * RHOS + r];
}

int main()
{
    float2 h[THETAS];
    for (int a = 0; a < THETAS; a++) h[a] = make_float2(cosf(a * 0.0174533f), sinf(a * 0.0174533f));
    cudaMemcpyToSymbol(dir, h, sizeof h);
    unsigned char *edge, *peak; int *acc;
    cudaMallocManaged(&edge, IW * IH);
    cudaMallocManaged(&acc, THETAS * RHOS * sizeof(int));
    cudaMallocManaged(&peak, THETAS * RHOS);
    for (int i = 0; i < IW * IH; i++) edge[i] = (i % IW == 300) || rand() % 5 == 0;
    for (int i = 0; i < THETAS * RHOS; i++) { acc[i] = 0; peak[i] = 0; }
    vote<<<dim3(IW / 32, IH / 8), dim3(32, 8)>>>(edge, acc);
    peaks<<<dim3((RHOS + 255) / 256, THETAS), 256>>>(acc, peak, 60);
    cudaDeviceSynchronize();
    printf("%d\n", acc[RHOS / 2 - 340]);
    return 0;
}
