// A field of plants day by day: light interception, leaf area and biomass; then neighbours shade each other.
#include <cstdio>
#include <utility>
#include <vector>
#include <cmath>

struct Plant { float lai, biomass, thermal; };
struct Weather { float degrees, light; };
struct Traits { float minus_k, rue, leaf_share, lai_max; };

const int ROWS = 1024, COLS = 1024;

__global__ void grow(Plant *field, const float *shade, Weather day, Traits tr, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Plant p = field[i];
    float caught = 1.0f - expf(tr.minus_k * p.lai);
    float gain = tr.rue * day.light * caught * shade[i];
    p.biomass += gain;
    p.lai = fminf(p.lai + tr.leaf_share * gain, tr.lai_max);
    p.thermal += day.degrees;
    field[i] = p;
}

__global__ void cast_shade(const Plant *field, float *shade)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 1 || r < 1 || c >= COLS - 1 || r >= ROWS - 1) return;
    float around = 0.0f;
    for (int dr = -1; dr <= 1; dr++)
        for (int dc = -1; dc <= 1; dc++) {
            if (dr == 0 && dc == 0) continue;
            around += field[(r + dr) * COLS + c + dc].lai;
        }
    shade[r * COLS + c] = 1.0f / (1.0f + 0.01f * around);
}

int main()
{
    const int n = ROWS * COLS;
    std::vector<Plant> f(n);
    std::vector<float> s(n, 1.0f);
    for (int i = 0; i < n; i++) f[i] = {0.05f + 0.001f * (i % 40), 1.0f, 0.0f};
    Plant *field; float *shade;
    cudaMalloc(&field, n * sizeof(Plant));
    cudaMalloc(&shade, n * sizeof(float));
    cudaMemcpy(field, f.data(), n * sizeof(Plant), cudaMemcpyHostToDevice);
    cudaMemcpy(shade, s.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    Traits tr = {-0.65f, 3.0f, 0.02f, 6.0f};
    for (int d = 0; d < 30; d++) {
        Weather w = {12.0f + 5.0f * sinf(0.2f * d), 0.9f};
        grow<<<n / 256, 256>>>(field, shade, w, tr, n);
        cast_shade<<<dim3(COLS / 32, ROWS / 8), dim3(32, 8)>>>(field, shade);
    }
    cudaMemcpy(f.data(), field, sizeof(Plant), cudaMemcpyDeviceToHost);
    printf("%f\n", f[0].biomass);
}
