// Read filtering for amplicon sequencing: expected number of errors of each read from its Phred qualities, one thread per read.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>
#include <cuda_runtime.h>

class ReadSet {
public:
    static constexpr int kReads = 200000;
    static constexpr int kLength = 151;
    static constexpr int kOffset = 33;
};

__global__ void expectedErrors(const uint8_t *__restrict__ qualities, float *__restrict__ errors)
{
    const float toLog2 = -0.33219281f; // -log2(10) / 10
    const int read = blockIdx.x * blockDim.x + threadIdx.x;
    if (read >= ReadSet::kReads) return;
    const uint8_t *q = qualities + static_cast<size_t>(read) * ReadSet::kLength;
    float sum = 0.0f;
    for (int pos = 0; pos < ReadSet::kLength; ++pos) {
        const int phred = q[pos] - ReadSet::kOffset;
        sum += exp2f(toLog2 * phred);
    }
    errors[read] = sum;
}

template <typename T>
struct DeviceDeleter {
    void operator()(T *p) const { cudaFree(p); }
};

template <typename T>
using DevicePtr = std::unique_ptr<T[], DeviceDeleter<T>>;

template <typename T>
DevicePtr<T> deviceAlloc(size_t n)
{
    T *p = nullptr;
    if (cudaMalloc(reinterpret_cast<void **>(&p), n * sizeof(T)) != cudaSuccess) {
        std::fprintf(stderr, "out of device memory\n");
        std::exit(EXIT_FAILURE);
    }
    return DevicePtr<T>(p);
}

int main()
{
    const size_t n = static_cast<size_t>(ReadSet::kReads) * ReadSet::kLength;
    std::vector<uint8_t> host(n);
    std::mt19937 rng(7);
    std::uniform_int_distribution<int> phred(2, 40);
    for (auto &c : host) c = static_cast<uint8_t>(phred(rng) + ReadSet::kOffset);

    auto dQual = deviceAlloc<uint8_t>(n);
    auto dErr = deviceAlloc<float>(ReadSet::kReads);
    cudaMemcpy(dQual.get(), host.data(), n, cudaMemcpyHostToDevice);

    const int threads = 128;
    expectedErrors<<<(ReadSet::kReads + threads - 1) / threads, threads>>>(dQual.get(), dErr.get());

    std::vector<float> err(ReadSet::kReads);
    cudaMemcpy(err.data(), dErr.get(), err.size() * sizeof(float), cudaMemcpyDeviceToHost);
    size_t kept = 0;
    for (float e : err) kept += e < 2.0f;
    std::printf("kept %zu of %d reads\n", kept, ReadSet::kReads);
    return 0;
}
