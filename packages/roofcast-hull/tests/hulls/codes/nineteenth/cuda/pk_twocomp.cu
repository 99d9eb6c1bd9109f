// Population pharmacokinetics: oral dose, two compartments, Heun steps; a thread is a patient
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Patient { float ka, k10, k12, k21, dose, volume; };
struct Exposure { float peak, auc; };

constexpr int PATIENTS = 40000;
constexpr int STEPS = 256;

__global__ void simulate(const Patient *who, Exposure *out, float h)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= PATIENTS) return;
    const Patient p = who[id];
    const float half = 0.5f * h;
    float gut = p.dose, c = 0.f, t = 0.f, peak = 0.f, auc = 0.f;
    for (int s = 0; s < STEPS; ++s) {
        float in1 = p.ka * gut, o1 = p.k12 * c, b1 = p.k21 * t;
        float dc1 = in1 - p.k10 * c - o1 + b1, dt1 = o1 - b1;
        float g2 = gut - h * in1, c2 = c + h * dc1, t2 = t + h * dt1;
        float in2 = p.ka * g2, o2 = p.k12 * c2, b2 = p.k21 * t2;
        float dc2 = in2 - p.k10 * c2 - o2 + b2, dt2 = o2 - b2;
        gut -= half * (in1 + in2);
        c += half * (dc1 + dc2);
        t += half * (dt1 + dt2);
        peak = fmaxf(peak, c);
        auc += h * c;
    }
    out[id].peak = peak / p.volume;
    out[id].auc = auc / p.volume;
}

__global__ void flag_toxic(const Exposure *e, unsigned char *flag, float peak_limit, float auc_limit)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < PATIENTS; i += stride) {
        Exposure x = e[i];
        flag[i] = (x.peak > peak_limit) | (x.auc > auc_limit) << 1;
    }
}

int main()
{
    std::vector<Patient> h(PATIENTS);
    for (int i = 0; i < PATIENTS; i++) {
        float u = (i % 101) / 101.f;
        h[i] = {0.8f + u, 0.1f + 0.1f * u, 0.3f, 0.2f + 0.05f * u, 100.f, 20.f + 10.f * u};
    }
    Patient *d;
    Exposure *e;
    unsigned char *f;
    cudaMalloc(&d, PATIENTS * sizeof(Patient));
    cudaMalloc(&e, PATIENTS * sizeof(Exposure));
    cudaMalloc(&f, PATIENTS);
    cudaMemcpy(d, h.data(), PATIENTS * sizeof(Patient), cudaMemcpyHostToDevice);
    simulate<<<(PATIENTS + 127) / 128, 128>>>(d, e, 0.05f);
    flag_toxic<<<40, 256>>>(e, f, 2.5f, 14.f);
    std::vector<unsigned char> r(PATIENTS);
    cudaMemcpy(r.data(), f, PATIENTS, cudaMemcpyDeviceToHost);
    int n = 0;
    for (auto x : r) n += x != 0;
    printf("%d flagged\n", n);
}
