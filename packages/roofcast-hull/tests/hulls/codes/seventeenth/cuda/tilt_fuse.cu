// Tilt of many handsets: gyroscope and accelerometer blended by a complementary filter.
#include <cstdio>
#include <cstdlib>

enum { STEPS = 512, UNITS = 8192 };

struct Log {                 // time-major
    const float *rate, *ax, *az;
};

__global__ void blend(Log log, const float *start, float *tilt, float keep, float trust, float dt)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    float angle = start[u];
    for (int k = 0, at = u; k < STEPS; k++, at += UNITS) {
        float seen = atan2f(log.ax[at], log.az[at]);
        angle = keep * (angle + log.rate[at] * dt) + trust * seen;
        tilt[at] = angle;
    }
}

int main()
{
    const size_t cells = (size_t)STEPS * UNITS;
    float *h = (float *)malloc(cells * sizeof(float));
    for (size_t i = 0; i < cells; i++) h[i] = 0.1f + (float)(i % 97) / 97.0f;
    float *rate, *ax, *az, *start, *tilt;
    cudaMalloc(&rate, cells * sizeof(float));
    cudaMalloc(&ax, cells * sizeof(float));
    cudaMalloc(&az, cells * sizeof(float));
    cudaMalloc(&tilt, cells * sizeof(float));
    cudaMalloc(&start, UNITS * sizeof(float));
    cudaMemcpy(rate, h, cells * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(ax, h, cells * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(az, h, cells * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(start, h, UNITS * sizeof(float), cudaMemcpyHostToDevice);
    Log log = {rate, ax, az};
    blend<<<UNITS / 64, 64>>>(log, start, tilt, 0.98f, 0.02f, 0.005f);
    cudaMemcpy(h, tilt, UNITS * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3]);
    free(h);
    return 0;
}
