// Body models: rotation vectors of joints to matrices
#include <cstdio>
#include <cuda_runtime.h>

#define BODIES 20000
#define JOINTS 24

__global__ void rotvec_to_matrix(const float3 *__restrict__ r, float *__restrict__ mats)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= BODIES * JOINTS) return;
    float3 v = r[i];
    float theta = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z + 1e-12f);
    float inv = 1.0f / theta;
    float x = v.x * inv, y = v.y * inv, z = v.z * inv;
    float s = sinf(theta), c = cosf(theta);
    float k = 1.0f - c;
    float *m = mats + 9 * i;
    m[0] = c + x * x * k;
    m[1] = x * y * k - z * s;
    m[2] = x * z * k + y * s;
    m[3] = x * y * k + z * s;
    m[4] = c + y * y * k;
    m[5] = y * z * k - x * s;
    m[6] = x * z * k - y * s;
    m[7] = y * z * k + x * s;
    m[8] = c + z * z * k;
}

int main(void)
{
    float3 *r;
    float *m;
    cudaMallocManaged(&r, sizeof(float3) * BODIES * JOINTS);
    cudaMallocManaged(&m, sizeof(float) * 9 * BODIES * JOINTS);
    for (int i = 0; i < BODIES * JOINTS; i++)
        r[i] = make_float3(0.01f * (i % 100), 0.02f * (i % 50), -0.5f + 0.001f * (i % 777));
    rotvec_to_matrix<<<(BODIES * JOINTS + 127) / 128, 128>>>(r, m);
    cudaDeviceSynchronize();
    printf("%f\n", m[9 * 100 + 4]);
    return 0;
}
