#include <cuda_runtime.h>
#include <iostream>
#include <vector>

#define W 512
#define H 384

// Two reacting species on a torus
__global__ void react(const float *u, const float *v, float *u2, float *v2,
                      float du, float dv, float feed, float kill, float dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int left = y * W + (x + W - 1) % W;
    int right = y * W + (x + 1) % W;
    int above = ((y + H - 1) % H) * W + x;
    int below = ((y + 1) % H) * W + x;
    int here = y * W + x;

    float uc = u[here], vc = v[here];
    float lap_u = u[left] + u[right] + u[above] + u[below] - 4.0f * uc;
    float lap_v = v[left] + v[right] + v[above] + v[below] - 4.0f * vc;
    float uvv = uc * vc * vc;
    u2[here] = uc + dt * (du * lap_u - uvv + feed * (1.0f - uc));
    v2[here] = vc + dt * (dv * lap_v + uvv - (feed + kill) * vc);
}

int main()
{
    size_t bytes = W * H * sizeof(float);
    std::vector<float> a(W * H, 1.0f), b(W * H, 0.0f);
    for (int y = 180; y < 200; y++)
        for (int x = 240; x < 270; x++) b[y * W + x] = 0.25f;
    float *u, *v, *u2, *v2;
    cudaMalloc(&u, bytes);
    cudaMalloc(&v, bytes);
    cudaMalloc(&u2, bytes);
    cudaMalloc(&v2, bytes);
    cudaMemcpy(u, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(v, b.data(), bytes, cudaMemcpyHostToDevice);
    dim3 threads(32, 8);
    dim3 blocks(W / threads.x, H / threads.y);
    for (int s = 0; s < 1000; s += 2) {
        react<<<blocks, threads>>>(u, v, u2, v2, 0.16f, 0.08f, 0.035f, 0.065f, 1.0f);
        react<<<blocks, threads>>>(u2, v2, u, v, 0.16f, 0.08f, 0.035f, 0.065f, 1.0f);
    }
    cudaMemcpy(a.data(), u, bytes, cudaMemcpyDeviceToHost);
    std::cout << a[0] << "\n";
    cudaFree(u);
    cudaFree(v);
    cudaFree(u2);
    cudaFree(v2);
    return 0;
}
