#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>
#include <cmath>

#define CHECK(x) do { hipError_t e_ = (x); if (e_ != hipSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, hipGetErrorString(e_)); return 1; } } while (0)

constexpr int ACCOUNTS = 200000;
constexpr int LEGS = 16;
constexpr int BUCKETS = 8;

struct Position { float qty, price, vol; int bucket; };

__global__ void margin_call(const Position* book, const float* haircut, const float* deposit, float* call)
{
    int a = blockDim.x * blockIdx.x + threadIdx.x;
    if (a >= ACCOUNTS) return;
    float total = 0.0f;
    for (int l = 0; l < LEGS; ++l) {
        Position p = book[a * LEGS + l];
        total += fabsf(p.qty * p.price) * p.vol * haircut[p.bucket];
    }
    call[a] = fmaxf(total - deposit[a], 0.0f);
}

__global__ void house_total(const float* call, float* sum)
{
    __shared__ float part[256];
    float s = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ACCOUNTS; i += gridDim.x * blockDim.x)
        s += call[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (int h = blockDim.x / 2; h; h /= 2) {
        if (threadIdx.x < h) part[threadIdx.x] += part[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}

int main()
{
    std::vector<Position> book(ACCOUNTS * LEGS);
    std::vector<float> dep(ACCOUNTS);
    for (int i = 0; i < ACCOUNTS * LEGS; ++i) book[i] = { (i % 37) - 18.f, 20.f + i % 91, 0.1f + (i % 13) * 0.02f, (i * 7) % BUCKETS };
    for (int i = 0; i < ACCOUNTS; ++i) dep[i] = 500.f + i % 4000;
    const float hc[BUCKETS] = { .02f, .05f, .08f, .15f, .25f, .3f, .5f, 1.f };
    Position* dbook; float *dhc, *ddep, *dcall, *dsum;
    CHECK(hipMalloc(&dbook, book.size() * sizeof(Position)));
    CHECK(hipMalloc(&dhc, sizeof hc));
    CHECK(hipMalloc(&ddep, ACCOUNTS * sizeof(float)));
    CHECK(hipMalloc(&dcall, ACCOUNTS * sizeof(float)));
    CHECK(hipMalloc(&dsum, sizeof(float)));
    CHECK(hipMemset(dsum, 0, sizeof(float)));
    CHECK(hipMemcpy(dbook, book.data(), book.size() * sizeof(Position), hipMemcpyHostToDevice));
    CHECK(hipMemcpy(dhc, hc, sizeof hc, hipMemcpyHostToDevice));
    CHECK(hipMemcpy(ddep, dep.data(), ACCOUNTS * sizeof(float), hipMemcpyHostToDevice));
    hipLaunchKernelGGL(margin_call, dim3((ACCOUNTS + 255) / 256), dim3(256), 0, 0, dbook, dhc, ddep, dcall);
    hipLaunchKernelGGL(house_total, dim3(120), dim3(256), 0, 0, dcall, dsum);
    float s = 0;
    CHECK(hipMemcpy(&s, dsum, sizeof s, hipMemcpyDeviceToHost));
    printf("house margin %g\n", s);
}
