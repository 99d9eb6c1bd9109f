// Stitching of two overlapping strips: luminance sums of the overlap (gain match), then a feathered blend.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

const int W = 1536, H = 2048;

__global__ void overlap_sums(const uchar4 *left, const uchar4 *right, unsigned long long *sums) {
    __shared__ unsigned int a[256], b[256];
    int t = threadIdx.x, row = blockIdx.x;
    unsigned int sa = 0, sb = 0;
    for (int x = t; x < W; x += 256) {
        uchar4 p = left[row * W + x], q = right[row * W + x];
        sa += 77 * p.x + 150 * p.y + 29 * p.z;
        sb += 77 * q.x + 150 * q.y + 29 * q.z;
    }
    a[t] = sa;
    b[t] = sb;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
        if (t < s) {
            a[t] += a[t + s];
            b[t] += b[t + s];
        }
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(&sums[0], (unsigned long long)a[0]);
        atomicAdd(&sums[1], (unsigned long long)b[0]);
    }
}

__global__ void feather(const float3 *left, const float3 *right, float3 *out, float gain) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H) return;
    float wr = (x + 0.5f) / W, wl = 1.0f - wr;
    float3 p = left[y * W + x], q = right[y * W + x];
    out[y * W + x] = make_float3(wl * p.x + wr * gain * q.x, wl * p.y + wr * gain * q.y, wl * p.z + wr * gain * q.z);
}

int main() {
    std::vector<uchar4> l(W * H), r(W * H);
    std::vector<float3> fl(W * H), fr(W * H);
    for (int i = 0; i < W * H; ++i) {
        l[i] = make_uchar4(i % 251, i % 199, i % 97, 255);
        r[i] = make_uchar4(i % 241, i % 191, i % 89, 255);
        fl[i] = make_float3(l[i].x / 255.f, l[i].y / 255.f, l[i].z / 255.f);
        fr[i] = make_float3(r[i].x / 255.f, r[i].y / 255.f, r[i].z / 255.f);
    }
    uchar4 *dl, *dr; float3 *da, *db, *dc; unsigned long long *sums, h[2];
    cudaMalloc(&dl, W * H * sizeof(uchar4)); cudaMalloc(&dr, W * H * sizeof(uchar4));
    cudaMalloc(&da, W * H * sizeof(float3)); cudaMalloc(&db, W * H * sizeof(float3)); cudaMalloc(&dc, W * H * sizeof(float3));
    cudaMalloc(&sums, 16);
    cudaMemset(sums, 0, 16);
    cudaMemcpy(dl, l.data(), W * H * sizeof(uchar4), cudaMemcpyHostToDevice);
    cudaMemcpy(dr, r.data(), W * H * sizeof(uchar4), cudaMemcpyHostToDevice);
    cudaMemcpy(da, fl.data(), W * H * sizeof(float3), cudaMemcpyHostToDevice);
    cudaMemcpy(db, fr.data(), W * H * sizeof(float3), cudaMemcpyHostToDevice);
    overlap_sums<<<H, 256>>>(dl, dr, sums);
    cudaMemcpy(h, sums, 16, cudaMemcpyDeviceToHost);
    feather<<<dim3(W / 32, H / 8), dim3(32, 8)>>>(da, db, dc, (float)((double)h[0] / (double)h[1]));
    printf("%d\n", (int)cudaDeviceSynchronize());
}
