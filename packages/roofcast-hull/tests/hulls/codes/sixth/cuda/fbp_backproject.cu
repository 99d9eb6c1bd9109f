// Parallel-beam back projection of filtered sinograms, linear interpolation between detector bins.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define N_ANGLES 360
#define N_DET 569
#define N_IMG 400

__global__ void backproject(const float *sino, const float *cosA, const float *sinA, float *img)
{
    int ix = blockIdx.x * blockDim.x + threadIdx.x;
    int iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix >= N_IMG || iy >= N_IMG)
        return;

    float x = ix - 0.5f * (N_IMG - 1);
    float y = iy - 0.5f * (N_IMG - 1);
    float acc = 0.0f;
    for (int a = 0; a < N_ANGLES; a++) {
        // |t| < 283, so both bins always lie on the detector
        float t = x * cosA[a] + y * sinA[a] + 0.5f * (N_DET - 1);
        float lower = floorf(t);
        int bin = (int)lower;
        float w = t - lower;
        acc += (1.0f - w) * sino[a * N_DET + bin] + w * sino[a * N_DET + bin + 1];
    }
    img[iy * N_IMG + ix] = acc * (float)(M_PI / N_ANGLES);
}

int main()
{
    std::vector<float> sino(N_ANGLES * N_DET), c(N_ANGLES), s(N_ANGLES), img(N_IMG * N_IMG);
    for (int a = 0; a < N_ANGLES; a++) {
        c[a] = (float)cos(a * M_PI / N_ANGLES);
        s[a] = (float)sin(a * M_PI / N_ANGLES);
        for (int d = 0; d < N_DET; d++)
            sino[a * N_DET + d] = expf(-0.001f * (d - 284) * (d - 284));
    }
    float *dSino, *dC, *dS, *dImg;
    cudaMalloc((void **)&dSino, sino.size() * sizeof(float));
    cudaMalloc((void **)&dC, c.size() * sizeof(float));
    cudaMalloc((void **)&dS, s.size() * sizeof(float));
    cudaMalloc((void **)&dImg, img.size() * sizeof(float));
    cudaMemcpy(dSino, sino.data(), sino.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dC, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dS, s.data(), s.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(16, 16), grid(N_IMG / 16, N_IMG / 16);
    backproject<<<grid, block>>>(dSino, dC, dS, dImg); // warm-up
    cudaEvent_t t0, t1;
    cudaEventCreate(&t0);
    cudaEventCreate(&t1);
    cudaEventRecord(t0);
    for (int rep = 0; rep < 10; rep++)
        backproject<<<grid, block>>>(dSino, dC, dS, dImg);
    cudaEventRecord(t1);
    cudaEventSynchronize(t1);
    float ms = 0;
    cudaEventElapsedTime(&ms, t0, t1);
    cudaMemcpy(img.data(), dImg, img.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.3f ms, centre %f\n", ms / 10, img[(N_IMG / 2) * N_IMG + N_IMG / 2]);
    cudaFree(dSino);
    cudaFree(dC);
    cudaFree(dS);
    cudaFree(dImg);
    return 0;
}
