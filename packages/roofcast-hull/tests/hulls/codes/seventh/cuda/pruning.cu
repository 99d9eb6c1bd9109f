// Operations of one unit of work verified with self-counting numbers in Python; sizes and bytes by arithmetic.
// Felsenstein pruning: conditional likelihoods of an inner node from its two children,
// four nucleotides, four gamma rate categories. One thread per (site, category).
// By hand: 4 states * (7 + 7 + 1) = 60 a thread.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#define STATES 4
#define NCAT   4

struct Partials {
    int sites;
    double *data; // [sites][NCAT][STATES]
    explicit Partials(int s) : sites(s) { cudaMalloc(&data, bytes()); }
    ~Partials() { cudaFree(data); }
    size_t bytes() const { return sizeof(double) * sites * NCAT * STATES; }
};

__global__ void partials_partials(const double *left, const double *right, const double *pLeft,
                                  const double *pRight, double *parent, int sites)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= sites * NCAT) return;
    int cat = tid % NCAT;

    const double *l = left + tid * STATES;
    const double *r = right + tid * STATES;
    const double *pl = pLeft + cat * STATES * STATES;
    const double *pr = pRight + cat * STATES * STATES;

    double l0 = l[0], l1 = l[1], l2 = l[2], l3 = l[3];
    double r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];

    for (int s = 0; s < STATES; s++) {
        double suml = pl[s * 4] * l0 + pl[s * 4 + 1] * l1 + pl[s * 4 + 2] * l2 + pl[s * 4 + 3] * l3;
        double sumr = pr[s * 4] * r0 + pr[s * 4 + 1] * r1 + pr[s * 4 + 2] * r2 + pr[s * 4 + 3] * r3;
        parent[tid * STATES + s] = suml * sumr;
    }
}

int main()
{
    const int sites = 20000;
    Partials left(sites), right(sites), parent(sites);
    std::vector<double> ones((size_t)sites * NCAT * STATES, 0.25), P(NCAT * STATES * STATES);
    for (int c = 0; c < NCAT; c++)
        for (int i = 0; i < STATES; i++)
            for (int j = 0; j < STATES; j++) P[(c * STATES + i) * STATES + j] = i == j ? 0.91 - 0.03 * c : 0.03 + 0.01 * c;
    double *pl, *pr;
    cudaMalloc(&pl, P.size() * sizeof(double));
    cudaMalloc(&pr, P.size() * sizeof(double));
    cudaMemcpy(pl, P.data(), P.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(pr, P.data(), P.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(left.data, ones.data(), left.bytes(), cudaMemcpyHostToDevice);
    cudaMemcpy(right.data, ones.data(), right.bytes(), cudaMemcpyHostToDevice);

    int threads = 128, blocks = (sites * NCAT + threads - 1) / threads;
    partials_partials<<<blocks, threads>>>(left.data, right.data, pl, pr, parent.data, sites);
    cudaMemcpy(ones.data(), parent.data, parent.bytes(), cudaMemcpyDeviceToHost);
    printf("L[0] = %.6f\n", ones[0]);
    cudaFree(pl);
    cudaFree(pr);
    return 0;
}
