// Election night: winner and turnout of each precinct, and national totals.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
using namespace std;

#define PARTIES 8
#define PRECINCTS 180000

__global__ void winners(const int *votes, unsigned char *winner, int *turnout, int n)
{
    int p = blockDim.x * blockIdx.x + threadIdx.x;
    if (p < n) {
        const int *v = &votes[p * PARTIES];
        int most = v[0], who = 0, sum = v[0];
        for (int k = 1; k < PARTIES; k++) {
            if (v[k] > most) {
                most = v[k];
                who = k;
            }
            sum += v[k];
        }
        winner[p] = (unsigned char)who;
        turnout[p] = sum;
    }
}

__global__ void totals(const int *votes, unsigned long long *total, int n)
{
    __shared__ unsigned long long s[PARTIES];
    if (threadIdx.x < PARTIES) s[threadIdx.x] = 0;
    __syncthreads();
    unsigned long long mine = 0;
    // the stride is a multiple of PARTIES, so a thread stays with its party
    for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n * PARTIES; i += blockDim.x * gridDim.x)
        mine += votes[i];
    atomicAdd(&s[threadIdx.x % PARTIES], mine);
    __syncthreads();
    if (threadIdx.x < PARTIES) atomicAdd(&total[threadIdx.x], s[threadIdx.x]);
}

int main()
{
    vector<int> h(PRECINCTS * PARTIES);
    for (size_t i = 0; i < h.size(); i++) h[i] = (i * 7919) % 613;
    int *votes, *turnout;
    unsigned char *winner;
    unsigned long long *total, t[PARTIES];
    cudaMalloc(&votes, h.size() * sizeof(int));
    cudaMalloc(&turnout, PRECINCTS * sizeof(int));
    cudaMalloc(&winner, PRECINCTS);
    cudaMalloc(&total, sizeof(t));
    cudaMemcpy(votes, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(total, 0, sizeof(t));
    winners<<<(PRECINCTS + 127) / 128, 128>>>(votes, winner, turnout, PRECINCTS);
    totals<<<200, 256>>>(votes, total, PRECINCTS);
    cudaMemcpy(t, total, sizeof(t), cudaMemcpyDeviceToHost);
    for (int k = 0; k < PARTIES; k++) printf("%d: %llu\n", k, t[k]);
}
