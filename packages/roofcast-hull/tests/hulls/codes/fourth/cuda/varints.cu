#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

// numbers of one to five bytes: seven bits each, the eighth says that more follow
__global__ void decode_varints(const uint8_t* bytes, const uint32_t* starts, uint32_t* values, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t at = starts[i];
    uint32_t value = 0, shift = 0;
    uint8_t b;
    do {
        b = bytes[at++];
        value |= (uint32_t)(b & 0x7f) << shift;
        shift += 7;
    } while (b & 0x80);
    values[i] = value;
}

int main()
{
    const int n = 500000;
    std::vector<uint8_t> h;
    std::vector<uint32_t> s(n);
    for (int i = 0; i < n; ++i) {
        s[i] = (uint32_t)h.size();
        uint32_t v = (uint32_t)i * 2654435761u;
        while (v >= 128) {
            h.push_back((uint8_t)(v | 128));
            v >>= 7;
        }
        h.push_back((uint8_t)v);
    }
    uint8_t* bytes;
    uint32_t *starts, *values;
    cudaMalloc(&bytes, h.size());
    cudaMalloc(&starts, n * sizeof(uint32_t));
    cudaMalloc(&values, n * sizeof(uint32_t));
    cudaMemcpy(bytes, h.data(), h.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(starts, s.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice);
    decode_varints<<<(n + 255) / 256, 256>>>(bytes, starts, values, n);
    cudaMemcpy(s.data(), values, n * sizeof(uint32_t), cudaMemcpyDeviceToHost);
    printf("%u\n", s[1]);
    cudaFree(bytes);
    cudaFree(starts);
    cudaFree(values);
    return 0;
}
