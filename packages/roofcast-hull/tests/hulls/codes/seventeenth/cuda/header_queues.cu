// Receive-side scaling in software: queue of each packet by its five-tuple; octets by protocol.
#include <cstdint>
#include <cstdio>
#include <vector>

struct __align__(16) Header {
    uint32_t src, dst;
    uint16_t sport, dport;
    uint16_t length;
    uint8_t proto, ttl;
};

static const int PACKETS = 1 << 20;

__global__ void pick_queue(const Header *hdr, uint16_t *queue, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    const Header p = hdr[i];
    uint32_t h = p.src * 0x9E3779B1u ^ p.dst * 0x85EBCA77u;
    h ^= (uint32_t)p.sport << 16 | p.dport;
    h += p.proto * 0xC2B2AE3Du;
    h ^= h >> 15;
    h *= 0x27D4EB2Fu;
    h ^= h >> 13;
    queue[i] = h & 63u;
}

__global__ void octets_by_protocol(const Header *hdr, unsigned *octets, int n)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    const int step = gridDim.x * 256;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += step)
        atomicAdd(local + hdr[i].proto, (unsigned)hdr[i].length);
    __syncthreads();
    atomicAdd(octets + threadIdx.x, local[threadIdx.x]);
}

int main()
{
    std::vector<Header> h(PACKETS);
    uint32_t r = 12345;
    for (auto &p : h) {
        r = r * 1664525u + 1013904223u;
        p = Header{r, r * 7u, uint16_t(r >> 9), uint16_t(r >> 3), uint16_t(64 + r % 1400), uint8_t(r >> 24), 64};
    }
    Header *d; uint16_t *q; unsigned *o;
    cudaMalloc(&d, PACKETS * sizeof(Header));
    cudaMalloc(&q, PACKETS * sizeof(uint16_t));
    cudaMalloc(&o, 256 * sizeof(unsigned));
    cudaMemcpy(d, h.data(), PACKETS * sizeof(Header), cudaMemcpyHostToDevice);
    cudaMemset(o, 0, 256 * sizeof(unsigned));
    pick_queue<<<PACKETS / 256, 256>>>(d, q, PACKETS);
    octets_by_protocol<<<128, 256>>>(d, o, PACKETS);
    unsigned tcp;
    cudaMemcpy(&tcp, o + 6, sizeof tcp, cudaMemcpyDeviceToHost);
    printf("%u\n", tcp);
    return cudaDeviceSynchronize() != cudaSuccess;
}
