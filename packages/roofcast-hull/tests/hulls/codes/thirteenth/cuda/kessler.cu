// Warm rain on model levels: autoconversion, accretion and condensation in one go.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

const int NZ = 64, NH = 128 * 128;

__global__ void warm_rain(float* qv, float* qc, float* qr, float* th, const float* exner, const float* pres, float dt)
{
    int h = blockIdx.x * blockDim.x + threadIdx.x;
    int k = blockIdx.y;
    if (h >= NH) return;
    int c = k * NH + h;
    float cloud = qc[c], rain = qr[c];
    float aut = fmaxf(0.001f * (cloud - 0.0005f), 0.0f);
    float acc = 2.2f * cloud * powf(rain, 0.875f);
    float dq = fminf((aut + acc) * dt, cloud);
    cloud -= dq;
    qr[c] = rain + dq;
    float pi = exner[k];
    float T = th[c] * pi;
    float es = 611.2f * expf(17.67f * (T - 273.15f) / (T - 29.65f));
    float qs = 0.622f * es / (pres[k] - es);
    float vap = qv[c];
    float cond = fmaxf((vap - qs) / (1.0f + 13500000.0f * qs / (T * T)), 0.0f);
    qv[c] = vap - cond;
    qc[c] = cloud + cond;
    th[c] += 2488.0f * cond / pi;
}

static float* upload(const std::vector<float>& h)
{
    float* d;
    cudaMalloc(&d, h.size() * sizeof(float));
    cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    return d;
}

int main()
{
    std::vector<float> qv(NZ * NH, 0.01f), qc(NZ * NH, 0.001f), qr(NZ * NH, 0.0003f), th(NZ * NH), ex(NZ), p(NZ);
    for (int k = 0; k < NZ; k++) {
        ex[k] = 1.0f - 0.004f * k;
        p[k] = 100000.0f - 1000.0f * k;
        for (int h = 0; h < NH; h++) th[k * NH + h] = 295.0f + 0.2f * k + 0.0001f * h;
    }
    float *dv = upload(qv), *dc = upload(qc), *dr = upload(qr), *dth = upload(th), *de = upload(ex), *dp = upload(p);
    warm_rain<<<dim3(NH / 256, NZ), 256>>>(dv, dc, dr, dth, de, dp, 10.0f);
    cudaMemcpy(th.data(), dth, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", th[0]);
    return 0;
}
