// Algebraic reconstruction from two views: rays along the rows and along the columns, corrections spread back.
#include <cstdio>
#include <vector>

template <typename T, int THREADS>
class BlockSum {
public:
    struct Storage { T warp[THREADS / 32]; };
    __device__ explicit BlockSum(Storage &s) : store(s) {}
    __device__ T operator()(T v)
    {
        for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
        int w = threadIdx.x / 32;
        if (threadIdx.x % 32 == 0) store.warp[w] = v;
        __syncthreads();
        T all = T(0);
        if (threadIdx.x == 0)
            for (int k = 0; k < THREADS / 32; ++k) all += store.warp[k];
        return all;
    }
private:
    Storage &store;
};

template <int THREADS>
__global__ void row_rays(const float *img, const float *measured, float *miss, int width)
{
    using Sum = BlockSum<float, THREADS>;
    __shared__ typename Sum::Storage mem;
    const float *line = img + (size_t)blockIdx.x * width;
    float acc = 0.f;
    for (int x = threadIdx.x; x < width; x += THREADS) acc += line[x];
    float total = Sum(mem)(acc);
    if (threadIdx.x == 0) miss[blockIdx.x] = (measured[blockIdx.x] - total) / width;
}

__global__ void column_rays(const float *img, const float *measured, float *miss, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float total = 0.f;
    for (int y = 0; y < height; ++y) total += img[y * width + x];
    miss[x] = (measured[x] - total) / height;
}

template <bool NonNegative>
__global__ void spread(float *img, const float *byrow, const float *bycol, int width, int height, float relax)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float v = img[y * width + x] + relax * (byrow[y] + bycol[x]);
    if constexpr (NonNegative) v = fmaxf(v, 0.f);
    img[y * width + x] = v;
}

int main()
{
    constexpr int W = 1024, H = 1024;
    std::vector<float> pr(H), pc(W);
    for (int i = 0; i < H; ++i) pr[i] = pc[i] = 100.f + (i % 50);
    float *img, *dr, *dc, *mr, *mc;
    cudaMalloc(&img, sizeof(float) * W * H);
    cudaMalloc(&dr, sizeof(float) * H); cudaMalloc(&mr, sizeof(float) * H);
    cudaMalloc(&dc, sizeof(float) * W); cudaMalloc(&mc, sizeof(float) * W);
    cudaMemset(img, 0, sizeof(float) * W * H);
    cudaMemcpy(dr, pr.data(), sizeof(float) * H, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, pc.data(), sizeof(float) * W, cudaMemcpyHostToDevice);
    const dim3 block(32, 8), grid(W / 32, H / 8);
    for (int sweep = 0; sweep < 5; ++sweep) {
        row_rays<128><<<H, 128>>>(img, dr, mr, W);
        column_rays<<<W / 64, 64>>>(img, dc, mc, W, H);
        spread<true><<<grid, block>>>(img, mr, mc, W, H, 0.5f);
    }
    float v;
    cudaMemcpy(&v, img + 77, sizeof v, cudaMemcpyDeviceToHost);
    printf("%f\n", v);
}
