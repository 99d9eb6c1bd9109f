// Matricised tensor times Khatri-Rao product along the first mode, for the ALS steps of a CP decomposition (dense tensor).
#include <cuda_runtime.h>
#include <array>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>

inline void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

template <typename T>
class Buffer {
public:
    explicit Buffer(std::size_t n) : size_(n) { check(cudaMallocManaged(&data_, n * sizeof(T)), "allocate"); }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    T *get() { return data_; }
    T &operator[](std::size_t i) { return data_[i]; }
    std::size_t size() const { return size_; }

private:
    T *data_ = nullptr;
    std::size_t size_;
};

template <typename T, int RANK>
__global__ void mttkrpMode0(const T *x, const T *b, const T *c, T *m, int I, int J, int K)
{
    const int r = threadIdx.x;
    const int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= I) return;
    T acc = 0;
    for (int j = 0; j < J; ++j) {
        const T *fibre = x + (static_cast<std::size_t>(i) * J + j) * K;
        T inner = 0;
        for (int k = 0; k < K; ++k) inner += fibre[k] * c[k * RANK + r];
        acc += inner * b[j * RANK + r];
    }
    m[i * RANK + r] = acc;
}

int main()
{
    constexpr std::array<int, 3> dims{200, 180, 160};
    constexpr int rank = 16;
    try {
        Buffer<float> x(std::size_t(dims[0]) * dims[1] * dims[2]);
        Buffer<float> b(dims[1] * rank), c(dims[2] * rank), m(dims[0] * rank);
        std::mt19937 gen(1);
        std::normal_distribution<float> normal;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = normal(gen);
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = normal(gen);
        for (std::size_t i = 0; i < c.size(); ++i) c[i] = normal(gen);

        const dim3 threads(rank, 8);
        const dim3 blocks((dims[0] + 7) / 8);
        mttkrpMode0<float, rank><<<blocks, threads>>>(x.get(), b.get(), c.get(), m.get(), dims[0], dims[1], dims[2]);
        check(cudaDeviceSynchronize(), "mttkrp");
        std::cout << m[0] << ' ' << m[m.size() - 1] << '\n';
    } catch (const std::exception &e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
