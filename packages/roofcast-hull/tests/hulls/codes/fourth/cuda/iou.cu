#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__device__ float area(const float4& b) { return (b.z - b.x) * (b.w - b.y); }

// how far each detected box covers each labelled one
__global__ void iou_matrix(const float4* boxes, const float4* truth, float* iou, int n_boxes, int n_truth)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int b = blockIdx.y * blockDim.y + threadIdx.y;
    if (t >= n_truth || b >= n_boxes) return;
    const float4 p = boxes[b];
    const float4 q = truth[t];
    const float w = fmaxf(fminf(p.z, q.z) - fmaxf(p.x, q.x), 0.0f);
    const float h = fmaxf(fminf(p.w, q.w) - fmaxf(p.y, q.y), 0.0f);
    const float inter = w * h;
    iou[b * n_truth + t] = inter / (area(p) + area(q) - inter);
}

int main()
{
    const int n_boxes = 1200, n_truth = 500;
    std::vector<float4> hb(n_boxes), ht(n_truth);
    for (int i = 0; i < n_boxes; ++i) hb[i] = make_float4(i, i, i + 20.f, i + 30.f);
    for (int i = 0; i < n_truth; ++i) ht[i] = make_float4(2.f * i, i, 2.f * i + 25.f, i + 25.f);
    float4 *boxes, *truth;
    float* iou;
    cudaMalloc(&boxes, n_boxes * sizeof(float4));
    cudaMalloc(&truth, n_truth * sizeof(float4));
    cudaMalloc(&iou, n_boxes * n_truth * sizeof(float));
    cudaMemcpy(boxes, hb.data(), n_boxes * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(truth, ht.data(), n_truth * sizeof(float4), cudaMemcpyHostToDevice);
    dim3 threads(32, 4);
    dim3 blocks((n_truth + 31) / 32, (n_boxes + 3) / 4);
    iou_matrix<<<blocks, threads>>>(boxes, truth, iou, n_boxes, n_truth);
    std::vector<float> out(n_boxes * n_truth);
    cudaMemcpy(out.data(), iou, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", out[0]);
    cudaFree(boxes);
    cudaFree(truth);
    cudaFree(iou);
    return 0;
}
