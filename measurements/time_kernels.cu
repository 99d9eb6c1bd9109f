// A library to preload before a CUDA program. The first time that a kernel comes with a grid and block it is launched three times after a sweep over a
// buffer larger than L2 has read all caches full, and six times after each other; what each took (activity records of CUPTI) goes to $TIMER_OUT.
// A kernel that spins for 40 ms at first and 5 ms before each series keeps the clocks up. One process at a time has kernels on the GPU.
#include <cuda_runtime.h>
#include <cupti.h>
#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>
#include <string>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

__global__ void timer_spin(float *out, long long clocks) {
    long long start = clock64(); float x = threadIdx.x;
    while (clock64() - start < clocks) x = x * 1.0001f + 0.5f;
    if (x == 1.2345f) *out = x;
}
__global__ void timer_sweep(const float4 *in, float *out, size_t n) {
    float s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { float4 v = in[i]; s += v.x + v.y + v.z + v.w; }
    if (s == 1.2345f) *out = s;
}
struct Took { std::string name; double us; int gx, gy, gz, bx, by, bz, regs, smem, dsmem, local; unsigned long long start; };
static std::vector<Took> took;
static void CUPTIAPI ask(uint8_t **b, size_t *n, size_t *r) { *n = 1 << 20; *b = (uint8_t *)aligned_alloc(8, *n); *r = 0; }
static void CUPTIAPI done(CUcontext, uint32_t, uint8_t *b, size_t, size_t valid) {
    CUpti_Activity *rec = nullptr;
    while (cuptiActivityGetNextRecord(b, valid, &rec) == CUPTI_SUCCESS) {
        if (rec->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
        CUpti_ActivityKernel10 *k = (CUpti_ActivityKernel10 *)rec;
        if (strstr(k->name, "timer_spin") || strstr(k->name, "timer_sweep")) continue;
        took.push_back({k->name, (k->end - k->start) / 1e3, k->gridX, k->gridY, k->gridZ, k->blockX, k->blockY, k->blockZ,
                        k->registersPerThread, k->staticSharedMemory, k->dynamicSharedMemory, (int)k->localMemoryPerThread, k->start});
    }
    free(b);
}
// One process at a time has kernels on the GPU.
struct Alone {
    int fd; Alone() { fd = open("/tmp/timer.lock", O_CREAT | O_RDWR, 0666); flock(fd, LOCK_EX); }
    ~Alone() { flock(fd, LOCK_UN); close(fd); }
};
static bool on = false, inside = false;
static float *sink; static float4 *buffer; static const size_t BYTES = 192u << 20;
static std::map<std::tuple<const void *, int, int, int, int, int, int>, int> seen;
static void begin() {
    on = true;
    cuptiActivityRegisterCallbacks(ask, done);
    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    cudaMalloc(&buffer, BYTES); cudaMalloc(&sink, 4); cudaMemset(buffer, 1, BYTES);
    inside = true;
    timer_spin<<<132 * 4, 512>>>(sink, 80000000LL);
    inside = false;
    cudaDeviceSynchronize();
    cudaGetLastError();
}
static void print_all(const char *tag) {
    cudaDeviceSynchronize();
    cuptiActivityFlushAll(1);
    FILE *f = fopen(getenv("TIMER_OUT"), "a");
    for (auto &t : took)
        fprintf(f, "%s\t%s\t%s\t%.3f\t%d,%d,%d\t%d,%d,%d\t%d\t%d\t%d\t%d\n", getenv("TIMER_PROGRAM"), tag, t.name.c_str(), t.us, t.gx, t.gy, t.gz, t.bx, t.by, t.bz, t.regs, t.smem, t.dsmem, t.local);
    fclose(f);
    took.clear();
}
template <class F> static cudaError_t series(const void *func, dim3 g, dim3 b, cudaStream_t s, F launch) {
    if (inside) return launch();
    if (!on) { cudaFree(0); cudaDeviceSynchronize(); }
    Alone alone;
    if (!on) begin();
    auto key = std::make_tuple(func, (int)g.x, (int)g.y, (int)g.z, (int)b.x, (int)b.y, (int)b.z);
    if (seen[key]++ || seen.size() > 12) { cudaError_t e = launch(); cudaDeviceSynchronize(); return e; }
    print_all("other");
    inside = true; timer_spin<<<132 * 4, 512>>>(sink, 10000000LL); inside = false;
    cudaError_t e = cudaSuccess;
    for (int i = 0; i < 3; ++i) {
        inside = true; timer_sweep<<<132 * 4, 512, 0, s>>>(buffer, sink, BYTES / 16); inside = false;
        e = launch();
        if (e != cudaSuccess) return e;
    }
    print_all("cold");
    cudaEvent_t p, q; cudaEventCreate(&p); cudaEventCreate(&q);
    launch();
    cudaEventRecord(p, s);
    launch();
    cudaEventRecord(q, s); cudaEventSynchronize(q);
    float ms = 0; cudaEventElapsedTime(&ms, p, q);
    for (int i = 0; i < (ms > 200 ? 0 : 4); ++i) e = launch();
    print_all("warm");
    return e;
}
typedef cudaError_t (*L)(const void *, dim3, dim3, void **, size_t, cudaStream_t);
extern "C" cudaError_t cudaLaunchKernel(const void *f, dim3 g, dim3 b, void **a, size_t m, cudaStream_t s) {
    static L real = (L)dlsym(RTLD_NEXT, "cudaLaunchKernel");
    return series(f, g, b, s, [&] { return real(f, g, b, a, m, s); });
}
extern "C" cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 g, dim3 b, void **a, size_t m, cudaStream_t s) {
    static L real = (L)dlsym(RTLD_NEXT, "cudaLaunchCooperativeKernel");
    return series(f, g, b, s, [&] { return real(f, g, b, a, m, s); });
}

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 g, dim3 b, void **a, size_t m, cudaStream_t s) {
    typedef cudaError_t (*K)(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);
    static K real = (K)dlsym(RTLD_NEXT, "__cudaLaunchKernel");
    return series((const void *)f, g, b, s, [&] { return real(f, g, b, a, m, s); });
}
