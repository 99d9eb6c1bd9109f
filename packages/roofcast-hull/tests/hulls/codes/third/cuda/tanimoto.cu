// Likeness of the fingerprints of molecules to one of them.
#include <cuda_runtime.h>

#define WORDS 32

__global__ void tanimoto(const unsigned int *base, const unsigned int *query, float *likeness, int molecules)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= molecules) return;
    int both = 0, any = 0;
    for (int w = 0; w < WORDS; w++) {
        unsigned int a = base[m * WORDS + w];
        unsigned int b = query[w];
        both += __popc(a & b);
        any += __popc(a | b);
    }
    likeness[m] = (float)both / any;
}

void search(const unsigned int *base, const unsigned int *query, float *likeness)
{
    const int molecules = 250000;
    tanimoto<<<(molecules + 127) / 128, 128>>>(base, query, likeness, molecules);
}
