// element-wise functors over two and one arrays
#include <cuda_runtime.h>
#include <vector>

struct Hypot {
    template <typename T> __device__ T operator()(T a, T b) const { return sqrt(a * a + b * b); }
};

template <typename T> struct Affine {
    T slope, offset;
    __host__ __device__ Affine(T s, T o) : slope(s), offset(o) {}
    __device__ T operator()(T v) const { return slope * v + offset; }
};

template <typename T, typename Op>
__global__ void zip(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ out, size_t n, Op op)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        out[i] = op(a[i], b[i]);
}

template <typename T, typename Op> __global__ void map_inplace(T *data, size_t n, Op op)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    data[i] = op(data[i]);
}

int main()
{
    constexpr size_t n = size_t(1) << 22;
    std::vector<double> host(n, 0.5);
    double *a, *b, *c;
    cudaMalloc(&a, n * sizeof(double));
    cudaMalloc(&b, n * sizeof(double));
    cudaMalloc(&c, n * sizeof(double));
    cudaMemcpy(a, host.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(b, host.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    zip<<<1024, 256>>>(a, b, c, n, Hypot());
    map_inplace<<<(n + 511) / 512, 512>>>(c, n, Affine<double>(3.0, -1.0));
    cudaDeviceSynchronize();
    cudaMemcpy(host.data(), c, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(a); cudaFree(b); cudaFree(c);
}
