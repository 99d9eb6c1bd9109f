#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

struct Node {
    int op;  // 0: a number, 1: sum, 2: product
    int left, right;
    float value;
};

__device__ float evaluate(const Node* nodes, int at)
{
    const Node& n = nodes[at];
    if (n.op == 0) return n.value;
    const float a = evaluate(nodes, n.left);
    const float b = evaluate(nodes, n.right);
    return n.op == 1 ? a + b : a * b;
}

// a formula a thread
__global__ void evaluate_all(const Node* nodes, const int* roots, float* results, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) results[i] = evaluate(nodes, roots[i]);
}

int main()
{
    const int n = 10000;
    std::vector<Node> h(3 * n);
    std::vector<int> r(n);
    for (int i = 0; i < n; ++i) {
        h[3 * i] = {1 + i % 2, 3 * i + 1, 3 * i + 2, 0.f};
        h[3 * i + 1] = {0, 0, 0, 1.f};
        h[3 * i + 2] = {0, 0, 0, 2.f};
        r[i] = 3 * i;
    }
    Node* nodes;
    int* roots;
    float* results;
    cudaMalloc(&nodes, h.size() * sizeof(Node));
    cudaMalloc(&roots, n * sizeof(int));
    cudaMalloc(&results, n * sizeof(float));
    cudaMemcpy(nodes, h.data(), h.size() * sizeof(Node), cudaMemcpyHostToDevice);
    cudaMemcpy(roots, r.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    evaluate_all<<<(n + 127) / 128, 128>>>(nodes, roots, results, n);
    float first;
    cudaMemcpy(&first, results, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", first);
    cudaFree(nodes);
    cudaFree(roots);
    cudaFree(results);
    return 0;
}
