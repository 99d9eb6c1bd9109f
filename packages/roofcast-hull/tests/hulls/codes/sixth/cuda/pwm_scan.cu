// Scan of a chromosome with the log-odds matrix of a transcription factor, both strands, best score per start position.
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define MOTIF 12
#define GENOME 5000000

__constant__ float pwm[MOTIF][4];

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
static inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

// bases are coded A=0 C=1 G=2 T=3, so 3 - base is the complement
__global__ void scan_pwm(const unsigned char *seq, float *best, int starts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < starts) {
        float fwd = 0.f, rev = 0.f;
        for (int j = 0; j < MOTIF; j++) {
            int base = seq[i + j];
            fwd += pwm[j][base];
            rev += pwm[MOTIF - 1 - j][3 - base];
        }
        best[i] = fmaxf(fwd, rev);
    }
}

int main(void)
{
    const int starts = GENOME - MOTIF + 1;
    float h_pwm[MOTIF][4];
    for (int j = 0; j < MOTIF; j++)
        for (int b = 0; b < 4; b++)
            h_pwm[j][b] = (b == (j * 7) % 4) ? 1.4f : -1.1f - 0.05f * j;
    gpuErrchk(cudaMemcpyToSymbol(pwm, h_pwm, sizeof(h_pwm)));

    unsigned char *h_seq = (unsigned char *)malloc(GENOME);
    srand(11);
    for (int i = 0; i < GENOME; i++) h_seq[i] = rand() & 3;

    unsigned char *d_seq;
    float *d_best;
    gpuErrchk(cudaMalloc(&d_seq, GENOME));
    gpuErrchk(cudaMalloc(&d_best, starts * sizeof(float)));
    gpuErrchk(cudaMemcpy(d_seq, h_seq, GENOME, cudaMemcpyHostToDevice));

    scan_pwm<<<(starts + 511) / 512, 512>>>(d_seq, d_best, starts);
    gpuErrchk(cudaPeekAtLastError());
    gpuErrchk(cudaDeviceSynchronize());

    float *h_best = (float *)malloc(starts * sizeof(float));
    gpuErrchk(cudaMemcpy(h_best, d_best, starts * sizeof(float), cudaMemcpyDeviceToHost));
    int hits = 0;
    for (int i = 0; i < starts; i++) hits += h_best[i] > 6.f;
    printf("%d hits\n", hits);
    free(h_seq);
    free(h_best);
    cudaFree(d_seq);
    cudaFree(d_best);
    return 0;
}
