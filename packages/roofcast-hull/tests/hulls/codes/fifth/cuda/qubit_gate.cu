// One gate on one qubit of a state vector: amplitudes whose numbers differ in one bit are mixed in place.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef double2 amp_t;

struct Gate {
    amp_t m[2][2];
};

#define cudaErrCheck(stat) { cudaErrCheck_((stat), __FILE__, __LINE__); }
void cudaErrCheck_(cudaError_t stat, const char *file, int line)
{
    if (stat != cudaSuccess) fprintf(stderr, "CUDA Error: %s %s %d\n", cudaGetErrorString(stat), file, line);
}

__global__ void apply_gate(amp_t *state, Gate g, int qubit, long pairs)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    const long stride = 1L << qubit;
    const long zero = ((i >> qubit) << (qubit + 1)) | (i & (stride - 1));
    const long one = zero | stride;

    const amp_t a = state[zero];
    const amp_t b = state[one];
    amp_t r, s;
    r.x = g.m[0][0].x * a.x - g.m[0][0].y * a.y + g.m[0][1].x * b.x - g.m[0][1].y * b.y;
    r.y = g.m[0][0].x * a.y + g.m[0][0].y * a.x + g.m[0][1].x * b.y + g.m[0][1].y * b.x;
    s.x = g.m[1][0].x * a.x - g.m[1][0].y * a.y + g.m[1][1].x * b.x - g.m[1][1].y * b.y;
    s.y = g.m[1][0].x * a.y + g.m[1][0].y * a.x + g.m[1][1].x * b.y + g.m[1][1].y * b.x;
    state[zero] = r;
    state[one] = s;
}

int main(int argc, char **argv)
{
    const int qubits = argc > 1 ? atoi(argv[1]) : 20;
    const int target = argc > 2 ? atoi(argv[2]) : 5;
    const long amplitudes = 1L << qubits;

    std::vector<amp_t> h(amplitudes, make_double2(0.0, 0.0));
    h[0].x = 1.0;
    amp_t *state;
    cudaErrCheck(cudaMalloc((void **)&state, amplitudes * sizeof(amp_t)));
    cudaErrCheck(cudaMemcpy(state, h.data(), amplitudes * sizeof(amp_t), cudaMemcpyHostToDevice));

    const double r = 1.0 / std::sqrt(2.0);
    Gate hadamard;
    hadamard.m[0][0] = make_double2(r, 0);
    hadamard.m[0][1] = make_double2(r, 0);
    hadamard.m[1][0] = make_double2(r, 0);
    hadamard.m[1][1] = make_double2(-r, 0);

    const long pairs = amplitudes / 2;
    const int threads = 256;
    apply_gate<<<(pairs + threads - 1) / threads, threads>>>(state, hadamard, target, pairs);
    cudaErrCheck(cudaGetLastError());

    cudaErrCheck(cudaMemcpy(h.data(), state, amplitudes * sizeof(amp_t), cudaMemcpyDeviceToHost));
    double norm = 0;
    for (auto &a : h) norm += a.x * a.x + a.y * a.y;
    printf("|0..0> %.4f, |0..1..0> %.4f, norm %.12f\n", h[0].x, h[1L << target].x, norm);
    cudaFree(state);
    return 0;
}
