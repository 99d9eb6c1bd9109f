// Block-sparse attention scores: every row of 16 queries has six key tiles of 16 that a table names.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define TILE 16
#define ROWS 256      /* tiles of queries */
#define KEEP 6
#define HEAD 64

__global__ void tile_scores(const float *q, const float *k, const int *cols, float *s, float scale) {
    int i = threadIdx.y, j = threadIdx.x;
    int slot = blockIdx.x, row = blockIdx.y;
    int col = cols[row * KEEP + slot];
    float dot = 0.f;
    for (int d = 0; d < HEAD; ++d)
        dot += q[(row * TILE + i) * HEAD + d] * k[(col * TILE + j) * HEAD + d];
    s[((row * KEEP + slot) * TILE + i) * TILE + j] = dot * scale;
}

int main() {
    const int n = ROWS * TILE * HEAD;
    std::vector<float> h(n);
    std::vector<int> cols(ROWS * KEEP);
    for (int i = 0; i < n; ++i) h[i] = (i * 97 % 1009) / 1009.f - .5f;
    for (int r = 0; r < ROWS; ++r)
        for (int s = 0; s < KEEP; ++s) cols[r * KEEP + s] = (r * 31 + s * 47) % ROWS;
    float *q, *k, *s; int *c;
    cudaMalloc(&q, n * sizeof(float));
    cudaMalloc(&k, n * sizeof(float));
    cudaMalloc(&s, ROWS * KEEP * TILE * TILE * sizeof(float));
    cudaMalloc(&c, ROWS * KEEP * sizeof(int));
    cudaMemcpy(q, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(k, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(c, cols.data(), ROWS * KEEP * sizeof(int), cudaMemcpyHostToDevice);
    tile_scores<<<dim3(KEEP, ROWS), dim3(TILE, TILE)>>>(q, k, c, s, .125f);
    printf("%d\n", (int)cudaDeviceSynchronize());
}
