#include <cuda_runtime.h>
#include <memory>
#include <stdexcept>

template <typename T> class DeviceMatrix {
  public:
    DeviceMatrix(int rows, int cols) : rows_(rows), cols_(cols)
    {
        if (cudaMalloc(&ptr_, sizeof(T) * rows * cols) != cudaSuccess) throw std::runtime_error("out of memory");
    }
    ~DeviceMatrix() { cudaFree(ptr_); }
    DeviceMatrix(const DeviceMatrix &) = delete;
    int rows() const { return rows_; }
    int cols() const { return cols_; }
    T *data() { return ptr_; }
    const T *data() const { return ptr_; }

  private:
    int rows_, cols_;
    T *ptr_ = nullptr;
};

template <typename T, int TS> __global__ void multiply(const T *a, const T *b, T *c, int m, int n, int k)
{
    __shared__ T as[TS][TS];
    __shared__ T bs[TS][TS];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;
    T acc = T(0);
    for (int t = 0; t < (k + TS - 1) / TS; ++t) {
        as[ty][tx] = (row < m && t * TS + tx < k) ? a[row * k + t * TS + tx] : T(0);
        bs[ty][tx] = (col < n && t * TS + ty < k) ? b[(t * TS + ty) * n + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int p = 0; p < TS; ++p) acc += as[ty][p] * bs[p][tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = acc;
}

template <typename T> void product(const DeviceMatrix<T> &a, const DeviceMatrix<T> &b, DeviceMatrix<T> &c)
{
    constexpr int TS = 32;
    dim3 block(TS, TS);
    dim3 grid((c.cols() + TS - 1) / TS, (c.rows() + TS - 1) / TS);
    multiply<T, TS><<<grid, block>>>(a.data(), b.data(), c.data(), a.rows(), b.cols(), a.cols());
}

int main()
{
    DeviceMatrix<float> a(1000, 1000), b(1000, 1000), c(1000, 1000);
    product(a, b, c);
    cudaDeviceSynchronize();
    return 0;
}
