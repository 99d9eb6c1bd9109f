// pointwise part of an LSTM step; the two products (input, recurrent) are left to cuBLAS and arrive as one array of gates
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace rnn {

template <typename scalar_t>
__device__ __forceinline__ scalar_t sigmoid(scalar_t z)
{
    return static_cast<scalar_t>(1.0) / (static_cast<scalar_t>(1.0) + exp(-z));
}

template <typename scalar_t>
__global__ void lstm_cell_forward(const scalar_t* __restrict__ gates, const scalar_t* __restrict__ bias,
                                  const scalar_t* __restrict__ old_cell, scalar_t* __restrict__ new_h,
                                  scalar_t* __restrict__ new_cell, size_t state_size)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int index = blockIdx.y * state_size + column;
    const int gates_row = blockIdx.y * (state_size * 4);
    if (column < state_size) {
        const scalar_t i = sigmoid(gates[gates_row + column] + bias[column]);
        const scalar_t f = sigmoid(gates[gates_row + state_size + column] + bias[state_size + column]);
        const scalar_t g = tanh(gates[gates_row + 2 * state_size + column] + bias[2 * state_size + column]);
        const scalar_t o = sigmoid(gates[gates_row + 3 * state_size + column] + bias[3 * state_size + column]);
        const scalar_t c = f * old_cell[index] + i * g;
        new_cell[index] = c;
        new_h[index] = o * tanh(c);
    }
}

}  // namespace rnn

struct DeviceArray {
    float* p = nullptr;
    explicit DeviceArray(size_t n) { cudaMalloc(&p, n * sizeof(float)); }
    ~DeviceArray() { cudaFree(p); }
};

int main(int argc, char* argv[])
{
    const int batch_size = 256;
    const int state_size = 1024;
    const size_t states = (size_t)batch_size * state_size;

    std::vector<float> h_gates(4 * states), h_bias(4 * state_size, 0.1f), h_cell(states, 0.5f), h_out(states);
    for (size_t i = 0; i < h_gates.size(); ++i) h_gates[i] = std::sin(0.01f * i);

    DeviceArray gates(4 * states), bias(4 * state_size), cell(states), h(states), c(states);
    cudaMemcpy(gates.p, h_gates.data(), h_gates.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(bias.p, h_bias.data(), h_bias.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(cell.p, h_cell.data(), h_cell.size() * sizeof(float), cudaMemcpyHostToDevice);

    const int threads = 1024;
    const dim3 blocks((state_size + threads - 1) / threads, batch_size);
    rnn::lstm_cell_forward<float><<<blocks, threads>>>(gates.p, bias.p, cell.p, h.p, c.p, state_size);
    cudaError_t err = cudaDeviceSynchronize();
    if (err != cudaSuccess) {
        std::printf("failed: %s\n", cudaGetErrorString(err));
        return 1;
    }
    cudaMemcpy(h_out.data(), h.p, states * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("h[0][0..2] = %f %f %f\n", h_out[0], h_out[1], h_out[2]);
    return 0;
}
