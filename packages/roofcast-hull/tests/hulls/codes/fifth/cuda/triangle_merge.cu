// Triangles of a graph: a thread for each edge of the oriented graph walks both ends' sorted lists at once.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned int vid;

__global__ void count_triangles(const vid *src, const vid *dst, const int *row, const vid *col, int *per_edge, int edges)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    int a = row[src[e]], a_end = row[src[e] + 1];
    int b = row[dst[e]], b_end = row[dst[e] + 1];
    int common = 0;
    while (a < a_end && b < b_end) {
        const vid u = col[a], v = col[b];
        if (u == v) {
            ++common;
            ++a;
            ++b;
        } else if (u < v) {
            ++a;
        } else {
            ++b;
        }
    }
    per_edge[e] = common;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 10000;
    const int tries = 8 * n;
    std::vector<std::set<vid>> lists(n);
    srand(3);
    for (int t = 0; t < tries; t++) {
        vid a = rand() % n, b = rand() % n;
        if (a != b) lists[std::min(a, b)].insert(std::max(a, b));
    }
    std::vector<int> row(n + 1, 0);
    std::vector<vid> col, src, dst;
    for (int v = 0; v < n; v++) {
        for (vid w : lists[v]) {
            col.push_back(w);
            src.push_back(v);
            dst.push_back(w);
        }
        row[v + 1] = (int)col.size();
    }
    const int edges = (int)col.size();
    vid *d_src, *d_dst, *d_col;
    int *d_row, *d_out;
    cudaMalloc(&d_src, edges * sizeof(vid));
    cudaMalloc(&d_dst, edges * sizeof(vid));
    cudaMalloc(&d_col, edges * sizeof(vid));
    cudaMalloc(&d_row, (n + 1) * sizeof(int));
    cudaMalloc(&d_out, edges * sizeof(int));
    cudaMemcpy(d_src, src.data(), edges * sizeof(vid), cudaMemcpyHostToDevice);
    cudaMemcpy(d_dst, dst.data(), edges * sizeof(vid), cudaMemcpyHostToDevice);
    cudaMemcpy(d_col, col.data(), edges * sizeof(vid), cudaMemcpyHostToDevice);
    cudaMemcpy(d_row, row.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice);
    count_triangles<<<(edges + 255) / 256, 256>>>(d_src, d_dst, d_row, d_col, d_out, edges);
    std::vector<int> out(edges);
    cudaMemcpy(out.data(), d_out, edges * sizeof(int), cudaMemcpyDeviceToHost);
    long total = 0;
    for (int c : out) total += c;
    printf("%d edges, %ld triangles\n", edges, total);
    cudaFree(d_src); cudaFree(d_dst); cudaFree(d_col); cudaFree(d_row); cudaFree(d_out);
    return 0;
}
