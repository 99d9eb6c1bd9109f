#include <cuda_runtime.h>

__global__ void depthwise_conv3x3(const float *__restrict__ input, const float *__restrict__ weight, float *__restrict__ output,
                                  int batch, int channels, int height, int width) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    int total = batch * channels * height * width;
    if (index >= total) return;
    int w = index % width;
    int h = (index / width) % height;
    int c = (index / (width * height)) % channels;
    int b = index / (width * height * channels);
    float sum = 0.f;
    for (int kh = 0; kh < 3; ++kh) {
        for (int kw = 0; kw < 3; ++kw) {
            int ih = h - 1 + kh;
            int iw = w - 1 + kw;
            if (ih >= 0 && ih < height && iw >= 0 && iw < width) {
                sum += input[((b * channels + c) * height + ih) * width + iw] * weight[(c * 3 + kh) * 3 + kw];
            }
        }
    }
    output[index] = sum;
}

int main() {
    int batch = 16, channels = 64, height = 112, width = 112;
    int total = batch * channels * height * width;
    float *in, *weight, *out;
    cudaMalloc(&in, total * sizeof(float));
    cudaMalloc(&weight, channels * 9 * sizeof(float));
    cudaMalloc(&out, total * sizeof(float));
    int threads = 256;
    int blocks = (total + threads - 1) / threads;
    depthwise_conv3x3<<<blocks, threads>>>(in, weight, out, batch, channels, height, width);
    cudaDeviceSynchronize();
}
