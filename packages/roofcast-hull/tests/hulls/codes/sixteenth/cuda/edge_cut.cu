// Partition of a graph in CSR: weight of each vertex's edges that leave its part
#include <cstdio>
#include <vector>

constexpr int VERTICES = 120000;
constexpr int DEGREE = 16;

struct Graph {
    const int *first, *target;
    const float *weight;
    int vertices;
};

__global__ void external_weight(Graph g, const int *__restrict__ part, float *__restrict__ external)
{
    for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < g.vertices; v += blockDim.x * gridDim.x) {
        const int mine = part[v];
        float w = 0.0f;
        for (int e = g.first[v]; e < g.first[v + 1]; ++e)
            w += part[g.target[e]] != mine ? g.weight[e] : 0.0f;
        external[v] = w;
    }
}

int main()
{
    std::vector<int> first(VERTICES + 1), target(VERTICES * DEGREE), part(VERTICES);
    std::vector<float> weight(VERTICES * DEGREE);
    for (int v = 0; v <= VERTICES; v++) first[v] = v * DEGREE;
    for (int e = 0; e < VERTICES * DEGREE; e++) { target[e] = (int)((e * 2654435761ull) % VERTICES); weight[e] = 1.f + e % 3; }
    for (int v = 0; v < VERTICES; v++) part[v] = v / (VERTICES / 8);
    int *dfirst, *dtarget, *dpart; float *dweight, *ext;
    cudaMalloc(&dfirst, (VERTICES + 1) * sizeof(int));
    cudaMalloc(&dtarget, VERTICES * DEGREE * sizeof(int));
    cudaMalloc(&dweight, VERTICES * DEGREE * sizeof(float));
    cudaMalloc(&dpart, VERTICES * sizeof(int));
    cudaMalloc(&ext, VERTICES * sizeof(float));
    cudaMemcpy(dfirst, first.data(), (VERTICES + 1) * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dtarget, target.data(), VERTICES * DEGREE * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dweight, weight.data(), VERTICES * DEGREE * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dpart, part.data(), VERTICES * sizeof(int), cudaMemcpyHostToDevice);
    external_weight<<<256, 256>>>(Graph{dfirst, dtarget, dweight, VERTICES}, dpart, ext);
    cudaMemcpy(weight.data(), ext, VERTICES * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", weight[11]);
}
