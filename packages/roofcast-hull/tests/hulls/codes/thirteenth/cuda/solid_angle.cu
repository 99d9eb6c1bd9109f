// Generalised winding number of points about a triangle soup (van Oosterom and Strackee's solid angle).
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

struct Vec {
    float x, y, z;
    __device__ float dot(const Vec& o) const { return x * o.x + y * o.y + z * o.z; }
    __device__ float len() const { return sqrtf(dot(*this)); }
    __device__ Vec cross(const Vec& o) const { return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x}; }
};

__global__ void winding(const float* qx, const float* qy, const float* qz, const float* tri, float* w, int nq, int nt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nq) return;
    const float px = qx[i], py = qy[i], pz = qz[i];
    float sum = 0.f;
    for (int t = 0; t < nt; t++) {
        const float* c = tri + 9 * t;
        Vec A{c[0] - px, c[1] - py, c[2] - pz};
        Vec B{c[3] - px, c[4] - py, c[5] - pz};
        Vec C{c[6] - px, c[7] - py, c[8] - pz};
        float a = A.len(), b = B.len(), l = C.len();
        float num = A.dot(B.cross(C));
        float den = a * b * l + A.dot(B) * l + B.dot(C) * a + C.dot(A) * b;
        sum += atan2f(num, den);
    }
    w[i] = sum * 0.15915494f;
}

int main()
{
    const int nq = 4096, nt = 2048;
    std::vector<float> q(3 * nq), tr(9 * nt);
    for (int i = 0; i < 3 * nq; i++) q[i] = sinf(1.7f * i);
    for (int i = 0; i < 9 * nt; i++) tr[i] = 2.0f * cosf(0.9f * i) + 0.01f * (i % 9);
    float *dq, *dt, *dw;
    cudaMalloc(&dq, 3 * nq * sizeof(float));
    cudaMalloc(&dt, 9 * nt * sizeof(float));
    cudaMalloc(&dw, nq * sizeof(float));
    cudaMemcpy(dq, q.data(), 3 * nq * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dt, tr.data(), 9 * nt * sizeof(float), cudaMemcpyHostToDevice);
    winding<<<nq / 128, 128>>>(dq, dq + nq, dq + 2 * nq, dt, dw, nq, nt);
    float first;
    cudaMemcpy(&first, dw, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", first);
}
