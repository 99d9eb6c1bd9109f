// Look-ups in a table of chained buckets: each probe follows links until the key is found or the chain ends.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Node { unsigned key; int value; int next; };

__global__ void follow(const Node* nodes, const int* head, const unsigned* keys, int* found, int probes, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= probes) return;
    unsigned key = keys[i];
    int at = head[(key * 2654435761u >> 12) & mask];
    while (at >= 0 && nodes[at].key != key) at = nodes[at].next;
    found[i] = at < 0 ? -1 : nodes[at].value;
}

int main()
{
    const int n = 1 << 20, buckets = 1 << 18, probes = 1 << 21;
    std::vector<Node> nodes(n);
    std::vector<int> head(buckets, -1);
    std::vector<unsigned> keys(probes);
    for (int i = 0; i < n; i++) {
        unsigned k = 3u * i + 1;
        int b = (k * 2654435761u >> 12) & (buckets - 1);
        nodes[i] = {k, i, head[b]};
        head[b] = i;
    }
    for (auto& k : keys) k = rand() % (3 * n);
    Node* dn;
    int *dh, *df;
    unsigned* dk;
    cudaMalloc(&dn, n * sizeof(Node));
    cudaMalloc(&dh, buckets * sizeof(int));
    cudaMalloc(&df, probes * sizeof(int));
    cudaMalloc(&dk, probes * sizeof(unsigned));
    cudaMemcpy(dn, nodes.data(), n * sizeof(Node), cudaMemcpyHostToDevice);
    cudaMemcpy(dh, head.data(), buckets * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dk, keys.data(), probes * sizeof(unsigned), cudaMemcpyHostToDevice);
    follow<<<probes / 256, 256>>>(dn, dh, dk, df, probes, buckets - 1);
    int f;
    cudaMemcpy(&f, df, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", f);
}
