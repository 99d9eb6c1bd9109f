/* Smith-Waterman scores of short reads against their candidate windows, a thread each.
   Linear gaps; only the best score is kept. */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

#define PAIRS 131072
#define READ 32
#define WINDOW 48
#define MATCH 2
#define MISMATCH (-1)
#define GAP 2

__global__ void score_pairs(const char *reads, const char *windows, int *best_score)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= PAIRS) return;
    int row[WINDOW + 1];
    for (int j = 0; j <= WINDOW; j++) row[j] = 0;
    int best = 0;
    for (int i = 0; i < READ; i++) {
        char a = reads[id * READ + i];
        int diag = 0;
        for (int j = 1; j <= WINDOW; j++) {
            char b = windows[id * WINDOW + j - 1];
            int h = diag + (a == b ? MATCH : MISMATCH);
            h = max(h, row[j] - GAP);
            h = max(h, row[j - 1] - GAP);
            h = max(h, 0);
            diag = row[j];
            row[j] = h;
            best = max(best, h);
        }
    }
    best_score[id] = best;
}

__global__ void count_hits(const int *score, int cut, unsigned *hits)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int votes = __syncthreads_count(id < PAIRS && score[id] >= cut);
    if (threadIdx.x == 0) atomicAdd(hits, (unsigned)votes);
}

int main(void)
{
    char *hr = (char *)malloc(PAIRS * READ), *hw = (char *)malloc(PAIRS * WINDOW);
    const char acgt[] = "ACGT";
    for (int i = 0; i < PAIRS * READ; i++) hr[i] = acgt[rand() & 3];
    for (int i = 0; i < PAIRS * WINDOW; i++) hw[i] = acgt[rand() & 3];
    char *r, *w;
    int *s;
    unsigned *hits, n;
    cudaMalloc((void **)&r, PAIRS * READ);
    cudaMalloc((void **)&w, PAIRS * WINDOW);
    cudaMalloc((void **)&s, PAIRS * sizeof(int));
    cudaMalloc((void **)&hits, sizeof(unsigned));
    cudaMemset(hits, 0, sizeof(unsigned));
    cudaMemcpy(r, hr, PAIRS * READ, cudaMemcpyHostToDevice);
    cudaMemcpy(w, hw, PAIRS * WINDOW, cudaMemcpyHostToDevice);
    score_pairs<<<PAIRS / 128, 128>>>(r, w, s);
    count_hits<<<PAIRS / 256, 256>>>(s, 24, hits);
    cudaMemcpy(&n, hits, sizeof n, cudaMemcpyDeviceToHost);
    printf("%u of %d pairs\n", n, PAIRS);
    return 0;
}
