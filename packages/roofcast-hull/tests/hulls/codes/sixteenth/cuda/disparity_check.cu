// Stereo: keep disparities that the other view confirms; depth of what is left
#include <cstdio>
#include <cstdint>
#include <vector>

struct Rig { float focal_baseline; int width, height; };
constexpr int16_t INVALID = -1;

__global__ void left_right_check(int16_t *__restrict__ kept, const int16_t *__restrict__ left, const int16_t *__restrict__ right, Rig rig,
                                 int tolerance)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= rig.width) return;
    const int row = y * rig.width;
    int d = left[row + x];
    int other = x - d;
    bool fine = false;
    if (other >= 0 && other < rig.width)
        fine = abs(d - right[row + other]) <= tolerance;
    kept[row + x] = fine ? (int16_t)d : INVALID;
}

__global__ void to_depth(const int16_t *__restrict__ kept, float *__restrict__ depth, Rig rig)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rig.width * rig.height)
        depth[i] = kept[i] > 0 ? rig.focal_baseline / kept[i] : 0.0f;
}

int main()
{
    const int W = 1280, H = 720;
    Rig rig{512.0f, W, H};
    std::vector<int16_t> l(W * H), r(W * H);
    for (int i = 0; i < W * H; i++) { l[i] = 20 + (i / 40) % 30; r[i] = 20 + (i / 41) % 30; }
    int16_t *left, *right, *kept; float *depth;
    cudaMalloc(&left, W * H * sizeof(int16_t));
    cudaMalloc(&right, W * H * sizeof(int16_t));
    cudaMalloc(&kept, W * H * sizeof(int16_t));
    cudaMalloc(&depth, W * H * sizeof(float));
    cudaMemcpy(left, l.data(), W * H * sizeof(int16_t), cudaMemcpyHostToDevice);
    cudaMemcpy(right, r.data(), W * H * sizeof(int16_t), cudaMemcpyHostToDevice);
    left_right_check<<<dim3((W + 255) / 256, H), 256>>>(kept, left, right, rig, 1);
    to_depth<<<(W * H + 255) / 256, 256>>>(kept, depth, rig);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
