// Sequence logo of an alignment: letters of each column, then the information content in bits.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { ROWS = 20000, COLS = 1536, LETTERS = 4 };

__global__ void column_counts(const unsigned char *aln, int *count)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= COLS) return;
    int n[LETTERS] = {0, 0, 0, 0};
    for (int r = 0; r < ROWS; r++) {
        unsigned char b = aln[r * COLS + col];
        n[0] += b == 'A';
        n[1] += b == 'C';
        n[2] += b == 'G';
        n[3] += b == 'T';
    }
    for (int l = 0; l < LETTERS; l++)
        count[col * LETTERS + l] = n[l];
}

__global__ void information(const int *count, float *bits, float pseudo)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= COLS) return;
    float h = 2.0f;
    for (int l = 0; l < LETTERS; l++) {
        float p = (count[col * LETTERS + l] + pseudo) / (ROWS + 4 * pseudo);
        h += p * log2f(p);
    }
    bits[col] = h;
}

int main()
{
    unsigned char *aln; int *count; float *bits;
    cudaMallocManaged(&aln, (size_t)ROWS * COLS);
    cudaMallocManaged(&count, COLS * LETTERS * sizeof(int));
    cudaMallocManaged(&bits, COLS * sizeof(float));
    for (int i = 0; i < ROWS * COLS; i++) aln[i] = "ACGT-AAC"[(i * 13 + rand() % 3) & 7];
    column_counts<<<COLS / 32, 32>>>(aln, count);
    information<<<COLS / 128, 128>>>(count, bits, 0.5f);
    cudaDeviceSynchronize();
    printf("%f\n", bits[17]);
    return 0;
}
