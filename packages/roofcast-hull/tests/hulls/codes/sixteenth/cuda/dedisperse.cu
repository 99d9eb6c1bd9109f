/* Pulsar search: sum of channels along dispersion tracks, for many trial measures; delays are a table of samples */
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define NCHAN 256
#define NDM 128
#define NT 16384
#define PAD 1024
#define STRIDE (NT + PAD)

__global__ void dedisperse(const unsigned char *__restrict__ data, const int *__restrict__ delay, float *__restrict__ out)
{
    __shared__ int d[NCHAN];
    const int dm = blockIdx.y;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int c = threadIdx.x; c < NCHAN; c += blockDim.x) d[c] = delay[dm * NCHAN + c];
    __syncthreads();
    int sum = 0;
    for (int c = 0; c < NCHAN; c++)
        sum += data[c * STRIDE + t + d[c]];
    out[dm * NT + t] = (float)sum;
}

int main(void)
{
    unsigned char *h = (unsigned char *)malloc(NCHAN * STRIDE), *data;
    int *hd = (int *)malloc(sizeof(int) * NDM * NCHAN), *delay;
    float *out;
    for (int i = 0; i < NCHAN * STRIDE; i++) h[i] = rand() & 15;
    for (int m = 0; m < NDM; m++)
        for (int c = 0; c < NCHAN; c++) hd[m * NCHAN + c] = (int)(1023.0 * m / NDM * c * c / (NCHAN * NCHAN));
    cudaMalloc(&data, NCHAN * STRIDE);
    cudaMalloc(&delay, sizeof(int) * NDM * NCHAN);
    cudaMalloc(&out, sizeof(float) * NDM * NT);
    cudaMemcpy(data, h, NCHAN * STRIDE, cudaMemcpyHostToDevice);
    cudaMemcpy(delay, hd, sizeof(int) * NDM * NCHAN, cudaMemcpyHostToDevice);
    dedisperse<<<dim3(NT / 256, NDM), 256>>>(data, delay, out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    free(h); free(hd);
    return 0;
}
