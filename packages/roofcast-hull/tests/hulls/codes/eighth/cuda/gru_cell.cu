// Pointwise part of a GRU cell in half precision: gate pre-activations (r, z, n blocks in a row) to the new state.
// Blind set: class by hand; operations counted in Python for one state.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <cuda_runtime.h>
#include <cuda_fp16.h>

namespace gru {

constexpr int kBatch = 8192;
constexpr int kHidden = 2048;

inline void throwOnError(cudaError_t status, const char *where)
{
    if (status != cudaSuccess) throw std::runtime_error(std::string(where) + ": " + cudaGetErrorString(status));
}

__device__ __forceinline__ float sigmoid(float v) { return 1.0f / (1.0f + __expf(-v)); }

__device__ __forceinline__ float cell(float ir, float iz, float in, float hr, float hz, float hn, float h)
{
    const float r = sigmoid(ir + hr);
    const float z = sigmoid(iz + hz);
    const float cand = tanhf(in + r * hn);
    return (1.0f - z) * cand + z * h;
}

// Two neighbouring states a thread.
__global__ void gru_pointwise(const __half2 *__restrict__ gi, const __half2 *__restrict__ gh,
                              const __half2 *__restrict__ state, __half2 *__restrict__ next, int batch, int hidden2)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int b = blockIdx.y;
    if (j >= hidden2 || b >= batch) return;
    const size_t g = (size_t)b * 3 * hidden2 + j;
    const size_t s = (size_t)b * hidden2 + j;
    const float2 ir = __half22float2(gi[g]);
    const float2 iz = __half22float2(gi[g + hidden2]);
    const float2 in = __half22float2(gi[g + 2 * hidden2]);
    const float2 hr = __half22float2(gh[g]);
    const float2 hz = __half22float2(gh[g + hidden2]);
    const float2 hn = __half22float2(gh[g + 2 * hidden2]);
    const float2 h = __half22float2(state[s]);
    float2 o;
    o.x = cell(ir.x, iz.x, in.x, hr.x, hz.x, hn.x, h.x);
    o.y = cell(ir.y, iz.y, in.y, hr.y, hz.y, hn.y, h.y);
    next[s] = __float22half2_rn(o);
}

__global__ void fill(__half2 *p, size_t n, float s)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) p[i] = __floats2half2_rn(s * (int)(i % 31 - 15), s * (int)(i % 17));
}

}  // namespace gru

int main()
{
    using namespace gru;
    const size_t states = (size_t)kBatch * kHidden / 2;
    __half2 *gi, *gh, *h, *next;
    try {
        throwOnError(cudaMalloc(&gi, 3 * states * sizeof(__half2)), "gi");
        throwOnError(cudaMalloc(&gh, 3 * states * sizeof(__half2)), "gh");
        throwOnError(cudaMalloc(&h, states * sizeof(__half2)), "h");
        throwOnError(cudaMalloc(&next, states * sizeof(__half2)), "next");
        fill<<<(unsigned)((3 * states + 255) / 256), 256>>>(gi, 3 * states, 0.05f);
        fill<<<(unsigned)((3 * states + 255) / 256), 256>>>(gh, 3 * states, 0.03f);
        fill<<<(unsigned)((states + 255) / 256), 256>>>(h, states, 0.02f);
        const dim3 grid(kHidden / 2 / 256, kBatch);
        gru_pointwise<<<grid, 256>>>(gi, gh, h, next, kBatch, kHidden / 2);
        throwOnError(cudaGetLastError(), "launch");
        throwOnError(cudaDeviceSynchronize(), "sync");
        __half2 first;
        throwOnError(cudaMemcpy(&first, next, sizeof(first), cudaMemcpyDeviceToHost), "copy");
        std::printf("%f %f\n", __low2float(first), __high2float(first));
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    cudaFree(gi); cudaFree(gh); cudaFree(h); cudaFree(next);
    return 0;
}
