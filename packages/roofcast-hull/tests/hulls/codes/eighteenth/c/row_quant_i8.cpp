// Dynamic int8 quantisation of activations and an int8 x int8 projection.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

using i8 = std::int8_t;
constexpr int TOKENS = 512, DIM = 384, OUT = 96;

void quantise_rows(const float* x, i8* q, float* scale)
{
#pragma omp parallel for
    for (int t = 0; t < TOKENS; ++t) {
        const float* row = x + t * DIM;
        float top = 0.f;
        for (int d = 0; d < DIM; ++d)
            top = std::max(top, std::fabs(row[d]));
        const float s = top / 127.f;
        const float inv = 127.f / (top + 1e-20f);
        for (int d = 0; d < DIM; ++d)
            q[t * DIM + d] = static_cast<i8>(std::nearbyint(row[d] * inv));
        scale[t] = s;
    }
}

void project(const i8* q, const float* scale, const i8 (&w)[OUT][DIM], const float (&wscale)[OUT], float* y)
{
#pragma omp parallel for collapse(2)
    for (int t = 0; t < TOKENS; ++t)
        for (int o = 0; o < OUT; ++o) {
            std::int32_t acc = 0;
            for (int d = 0; d < DIM; ++d)
                acc += std::int32_t(q[t * DIM + d]) * w[o][d];
            y[t * OUT + o] = acc * scale[t] * wscale[o];
        }
}

static i8 weights[OUT][DIM];
static float wscale[OUT];

int main()
{
    std::vector<float> x(TOKENS * DIM), scale(TOKENS), y(TOKENS * OUT);
    std::vector<i8> q(TOKENS * DIM);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37f * i);
    for (int o = 0; o < OUT; ++o) {
        wscale[o] = 0.01f;
        for (int d = 0; d < DIM; ++d) weights[o][d] = (o * 31 + d * 7) % 255 - 127;
    }
    quantise_rows(x.data(), q.data(), scale.data());
    project(q.data(), scale.data(), weights, wscale, y.data());
    std::printf("%f\n", y[100]);
}
