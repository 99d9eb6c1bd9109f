// Focal loss on sigmoids for detectors: every anchor against every class. What a PyTorch extension would keep in
// sigmoid_focal_loss_cuda.cu, with a driver in place of the tensors.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

#define THREADS_PER_BLOCK 512
#define CUDA_1D_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)

template <typename T>
__global__ void SigmoidFocalLossForward(const int nthreads, const T* logits, const int* targets, const int num_classes,
                                        const float gamma, const float alpha, const int num, T* losses)
{
    CUDA_1D_KERNEL_LOOP(i, nthreads)
    {
        int n = i / num_classes;
        int d = i % num_classes;  // class[0~79];
        int t = targets[n];       // target class [1~80];

        // Decide it is positive or negative case.
        T c1 = (t == (d + 1));
        T c2 = (t >= 0 && t != (d + 1));

        T zn = (1.0f - alpha);
        T zp = (alpha);

        T x = logits[i];
        T p = 1.0f / (1.0f + expf(-x));

        // (1-p)**gamma * log(p)
        T term1 = powf((1.0f - p), gamma) * logf(max(p, FLT_MIN));
        // p**gamma * log(1-p)
        T term2 = powf(p, gamma) * (-1.0f * x * (x >= 0) - logf(1.0f + expf(x - 2.0f * x * (x >= 0))));

        losses[i] = -c1 * term1 * zp - c2 * term2 * zn;
    }
}

int main(int argc, char** argv)
{
    const int num_samples = argc > 1 ? atoi(argv[1]) : 8192;
    const int num_classes = argc > 2 ? atoi(argv[2]) : 80;
    const int total = num_samples * num_classes;

    std::vector<float> logits(total);
    std::vector<int> targets(num_samples);
    for (auto& l : logits) l = 6.0f * rand() / RAND_MAX - 3.0f;
    for (auto& t : targets) t = rand() % (num_classes + 1);

    float *logits_d, *losses_d;
    int* targets_d;
    cudaMalloc(&logits_d, total * sizeof(float));
    cudaMalloc(&losses_d, total * sizeof(float));
    cudaMalloc(&targets_d, num_samples * sizeof(int));
    cudaMemcpy(logits_d, logits.data(), total * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(targets_d, targets.data(), num_samples * sizeof(int), cudaMemcpyHostToDevice);

    dim3 grid((total + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK);
    dim3 block(THREADS_PER_BLOCK);
    SigmoidFocalLossForward<float><<<grid, block>>>(total, logits_d, targets_d, num_classes, 2.0f, 0.25f, num_samples, losses_d);
    if (cudaGetLastError() != cudaSuccess) {
        fprintf(stderr, "launch failed\n");
        return 1;
    }

    std::vector<float> losses(total);
    cudaMemcpy(losses.data(), losses_d, total * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float l : losses) sum += l;
    printf("mean loss %.6f\n", sum / num_samples);
    cudaFree(logits_d);
    cudaFree(losses_d);
    cudaFree(targets_d);
    return 0;
}
