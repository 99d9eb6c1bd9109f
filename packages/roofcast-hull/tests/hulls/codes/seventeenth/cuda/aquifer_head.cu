// Steady heads of a confined aquifer: Jacobi with harmonic means of the transmissivities between cells.
#include <cstdio>
#include <vector>
#include <utility>

template <int TX, int TY>
__global__ void relax_head(const float *__restrict__ h, const float *__restrict__ T, const float *__restrict__ recharge,
                           float *__restrict__ out, int nx, int ny)
{
    __shared__ float hs[TY + 2][TX + 2];
    __shared__ float ts[TY + 2][TX + 2];
    const int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1;
    for (int k = threadIdx.y * TX + threadIdx.x; k < (TX + 2) * (TY + 2); k += TX * TY) {
        int lx = k % (TX + 2), ly = k / (TX + 2);
        int gx = x0 + lx, gy = y0 + ly;
        if (gx >= 0 && gy >= 0 && gx < nx && gy < ny) {
            hs[ly][lx] = h[gy * nx + gx];
            ts[ly][lx] = T[gy * nx + gx];
        }
    }
    __syncthreads();
    const int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    const int x = x0 + lx, y = y0 + ly;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    auto face = [](float a, float b) { return 2.0f * a * b / (a + b); };
    float t = ts[ly][lx];
    float e = face(t, ts[ly][lx + 1]), w = face(t, ts[ly][lx - 1]);
    float n = face(t, ts[ly - 1][lx]), s = face(t, ts[ly + 1][lx]);
    float flux = e * hs[ly][lx + 1] + w * hs[ly][lx - 1] + n * hs[ly - 1][lx] + s * hs[ly + 1][lx];
    out[y * nx + x] = (flux + recharge[y * nx + x]) / (e + w + n + s);
}

int main()
{
    const int nx = 1024, ny = 1024, cells = nx * ny;
    std::vector<float> h0(cells, 10.0f), t(cells), q(cells, 0.0f);
    for (int i = 0; i < cells; ++i) t[i] = 1.0f + (i % 29) * 0.3f;
    q[500 * nx + 300] = -3.0f;
    float *h, *hn, *T, *Q;
    cudaMalloc(&h, cells * sizeof(float)); cudaMalloc(&hn, cells * sizeof(float));
    cudaMalloc(&T, cells * sizeof(float)); cudaMalloc(&Q, cells * sizeof(float));
    cudaMemcpy(h, h0.data(), cells * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(hn, h0.data(), cells * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(T, t.data(), cells * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(Q, q.data(), cells * sizeof(float), cudaMemcpyHostToDevice);
    dim3 block(32, 8), grid(nx / 32, ny / 8);
    for (int it = 0; it < 20; ++it) {
        relax_head<32, 8><<<grid, block>>>(h, T, Q, hn, nx, ny);
        std::swap(h, hn);
    }
    float v;
    cudaMemcpy(&v, h + 500 * nx + 300, sizeof v, cudaMemcpyDeviceToHost);
    printf("%f\n", v);
}
