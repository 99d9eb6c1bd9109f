// Ranks of pages: degrees, then pulling along the edges that come in.
#include <cuda_runtime.h>

static const int kPages = 200000;
static const int kLinks = 8 * kPages;

__global__ void out_degree(const int *__restrict__ source, int *__restrict__ degree, int links)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < links) atomicAdd(degree + source[e], 1);
}

__global__ void pull(const int *__restrict__ row, const int *__restrict__ in_link, const float *__restrict__ rank,
                     const int *__restrict__ degree, float *__restrict__ next, int pages, float damping)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < pages) {
        float sum = 0.0f;
        for (int e = row[v]; e < row[v + 1]; ++e) {
            int u = in_link[e];
            sum += rank[u] / degree[u];
        }
        next[v] = (1.0f - damping) / pages + damping * sum;
    }
}

int main()
{
    int *source, *row, *in_link, *degree;
    float *rank, *next;
    cudaMalloc(&source, kLinks * sizeof(int));
    cudaMalloc(&in_link, kLinks * sizeof(int));
    cudaMalloc(&row, (kPages + 1) * sizeof(int));
    cudaMalloc(&degree, kPages * sizeof(int));
    cudaMalloc(&rank, kPages * sizeof(float));
    cudaMalloc(&next, kPages * sizeof(float));
    cudaMemset(degree, 0, kPages * sizeof(int));
    out_degree<<<(kLinks + 255) / 256, 256>>>(source, degree, kLinks);
    for (int it = 0; it < 20; ++it) {
        pull<<<(kPages + 127) / 128, 128>>>(row, in_link, rank, degree, next, kPages, 0.85f);
        float *t = rank; rank = next; next = t;
    }
    cudaDeviceSynchronize();
    return 0;
}
