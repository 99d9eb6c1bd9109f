// Tomography: raw counts to line integrals with flat and dark fields; mean of a detector pixel over all views.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define VIEWS 360
#define ROWS  64
#define COLS  512
#define PIX   (ROWS * COLS)

__global__ void line_integrals(const uint16_t *raw, const float *flat, const float *dark, float *sino)
{
    int col  = threadIdx.x + blockIdx.x * blockDim.x;
    int row  = threadIdx.y + blockIdx.y * blockDim.y;
    int view = threadIdx.z + blockIdx.z * blockDim.z;
    if (col >= COLS || row >= ROWS || view >= VIEWS) return;
    int pix = row * COLS + col;
    int at = view * PIX + pix;
    float d = dark[pix];
    float open = fmaxf(flat[pix] - d, 1.0f);
    float seen = fmaxf(raw[at] - d, 1.0f);
    sino[at] = logf(open / seen);
}

__global__ void view_mean(const float *sino, float *mean)
{
    int pix = threadIdx.x + blockIdx.x * blockDim.x;
    if (pix < PIX) {
        float s = 0.0f;
        for (int v = 0; v < VIEWS; v++) s += sino[v * PIX + pix];
        mean[pix] = s / VIEWS;
    }
}

int main(void)
{
    uint16_t *raw, *hraw = (uint16_t *)malloc(sizeof(uint16_t) * VIEWS * PIX);
    float *flat, *dark, *sino, *mean;
    float *hf = (float *)malloc(sizeof(float) * PIX), *hd = (float *)malloc(sizeof(float) * PIX);
    for (int i = 0; i < VIEWS * PIX; i++) hraw[i] = (uint16_t)(200 + rand() % 20000);
    for (int i = 0; i < PIX; i++) { hf[i] = 21000.0f + rand() % 500; hd[i] = 100.0f + rand() % 5; }
    cudaMalloc((void **)&raw, sizeof(uint16_t) * VIEWS * PIX);
    cudaMalloc((void **)&flat, sizeof(float) * PIX);
    cudaMalloc((void **)&dark, sizeof(float) * PIX);
    cudaMalloc((void **)&sino, sizeof(float) * VIEWS * PIX);
    cudaMalloc((void **)&mean, sizeof(float) * PIX);
    cudaMemcpy(raw, hraw, sizeof(uint16_t) * VIEWS * PIX, cudaMemcpyHostToDevice);
    cudaMemcpy(flat, hf, sizeof(float) * PIX, cudaMemcpyHostToDevice);
    cudaMemcpy(dark, hd, sizeof(float) * PIX, cudaMemcpyHostToDevice);
    dim3 threads(64, 4, 1);
    dim3 blocks(COLS / 64, ROWS / 4, VIEWS);
    line_integrals<<<blocks, threads>>>(raw, flat, dark, sino);
    view_mean<<<PIX / 64, 64>>>(sino, mean);
    float m;
    cudaMemcpy(&m, mean + 77, sizeof(m), cudaMemcpyDeviceToHost);
    printf("%f\n", m);
    free(hraw); free(hf); free(hd);
    return 0;
}
