// Ungapped extension of seeds: to the right until the score is X below the best one
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

struct Seed {
    int query_pos;
    int target_pos;
};

struct Hit {
    int score;
    int length;
};

constexpr int MATCH = 5, MISMATCH = -4, XDROP = 20;

__global__ void extend_right(const char* __restrict__ query, int query_len, const char* __restrict__ target, int target_len,
                             const Seed* __restrict__ seeds, Hit* __restrict__ hits, int num_seeds)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= num_seeds) return;
    int q = seeds[s].query_pos;
    int t = seeds[s].target_pos;
    int score = 0, best = 0, best_len = 0, len = 0;
    while (q + len < query_len && t + len < target_len) {
        score += query[q + len] == target[t + len] ? MATCH : MISMATCH;
        ++len;
        if (score > best) {
            best = score;
            best_len = len;
        } else if (best - score > XDROP) {
            break;
        }
    }
    hits[s].score = best;
    hits[s].length = best_len;
}

int main()
{
    const int query_len = 100000, target_len = 1000000, num_seeds = 50000;
    std::vector<char> q(query_len), t(target_len);
    for (auto& c : q) c = "ACGT"[rand() & 3];
    for (auto& c : t) c = "ACGT"[rand() & 3];
    memcpy(&t[5000], &q[100], 300);
    std::vector<Seed> seeds(num_seeds);
    for (auto& s : seeds) s = {rand() % query_len, rand() % target_len};
    seeds[0] = {100, 5000};

    char *dq, *dt;
    Seed* ds;
    Hit* dh;
    cudaMalloc(&dq, query_len);
    cudaMalloc(&dt, target_len);
    cudaMalloc(&ds, num_seeds * sizeof(Seed));
    cudaMalloc(&dh, num_seeds * sizeof(Hit));
    cudaMemcpy(dq, q.data(), query_len, cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t.data(), target_len, cudaMemcpyHostToDevice);
    cudaMemcpy(ds, seeds.data(), num_seeds * sizeof(Seed), cudaMemcpyHostToDevice);
    extend_right<<<(num_seeds + 127) / 128, 128>>>(dq, query_len, dt, target_len, ds, dh, num_seeds);
    std::vector<Hit> hits(num_seeds);
    cudaMemcpy(hits.data(), dh, num_seeds * sizeof(Hit), cudaMemcpyDeviceToHost);
    printf("seed 0: score %d over %d bases\n", hits[0].score, hits[0].length);
    cudaFree(dq);
    cudaFree(dt);
    cudaFree(ds);
    cudaFree(dh);
    return 0;
}
