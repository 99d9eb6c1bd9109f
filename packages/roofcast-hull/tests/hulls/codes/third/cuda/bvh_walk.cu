// Rays through a tree of boxes, with a stack of their own.
#include <cuda_runtime.h>

struct Node {
    float3 lo, hi;
    int left, right;  // children, or minus one and a triangle
};

__device__ bool touches(float3 o, float3 inv, const Node &n)
{
    float a = (n.lo.x - o.x) * inv.x, b = (n.hi.x - o.x) * inv.x;
    float t0 = fminf(a, b), t1 = fmaxf(a, b);
    a = (n.lo.y - o.y) * inv.y, b = (n.hi.y - o.y) * inv.y;
    t0 = fmaxf(t0, fminf(a, b)), t1 = fminf(t1, fmaxf(a, b));
    return t0 <= t1;
}

__global__ void count_leaves(const Node *nodes, const float3 *origin, const float3 *inverse, int *count, int rays)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rays) return;
    int stack[64], top = 0, hits = 0;
    stack[top++] = 0;
    while (top > 0) {
        const Node n = nodes[stack[--top]];
        if (!touches(origin[i], inverse[i], n)) continue;
        if (n.left < 0) {
            ++hits;
        } else {
            stack[top++] = n.left;
            stack[top++] = n.right;
        }
    }
    count[i] = hits;
}

int main()
{
    const int rays = 1 << 16, nodes = 20000;
    Node *tree;
    float3 *o, *d;
    int *count;
    cudaMalloc(&tree, nodes * sizeof(Node));
    cudaMalloc(&o, rays * sizeof(float3));
    cudaMalloc(&d, rays * sizeof(float3));
    cudaMalloc(&count, rays * sizeof(int));
    count_leaves<<<rays / 64, 64>>>(tree, o, d, count, rays);
    cudaDeviceSynchronize();
    return 0;
}
