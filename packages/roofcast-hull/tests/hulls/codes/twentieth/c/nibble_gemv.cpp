// 4 bit weights in groups of 32 with a scale and a minimum each, times one activation vector.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int ROWS = 2048;
constexpr int COLS = 4096;
constexpr int GROUP = 32;

struct Packed {
    std::vector<uint8_t> q = std::vector<uint8_t>(size_t(ROWS) * COLS / 2);
    std::vector<float> scale = std::vector<float>(size_t(ROWS) * COLS / GROUP);
    std::vector<float> low = std::vector<float>(size_t(ROWS) * COLS / GROUP);
};

void gemv(const uint8_t* q, const float* scale, const float* low, const float* x, float* y)
{
    for (int r = 0; r < ROWS; r++) {
        float acc = 0;
        for (int g = 0; g < COLS / GROUP; g++) {
            float part = 0, xs = 0;
            for (int k = 0; k < GROUP / 2; k++) {
                uint8_t b = q[r * (COLS / 2) + g * (GROUP / 2) + k];
                float x0 = x[g * GROUP + 2 * k], x1 = x[g * GROUP + 2 * k + 1];
                part += float(b & 15) * x0 + float(b >> 4) * x1;
                xs += x0 + x1;
            }
            acc += scale[r * (COLS / GROUP) + g] * part + low[r * (COLS / GROUP) + g] * xs;
        }
        y[r] = acc;
    }
}

template <typename T, int Lanes>
void hard_swish(T* v, int n)
{
    for (int i = 0; i < n; i += Lanes)
        for (int l = 0; l < Lanes; ++l) {
            T t = v[i + l] + T(3);
            t = t < T(0) ? T(0) : t;
            t = t > T(6) ? T(6) : t;
            v[i + l] *= t / T(6);
        }
}

int main()
{
    Packed w;
    std::vector<float> x(COLS, 0.25f), y(ROWS);
    for (size_t i = 0; i < w.q.size(); i++) w.q[i] = uint8_t(i * 31);
    for (size_t i = 0; i < w.scale.size(); i++) w.scale[i] = 0.01f, w.low[i] = -0.07f;
    gemv(w.q.data(), w.scale.data(), w.low.data(), x.data(), y.data());
    hard_swish<float, 8>(y.data(), ROWS);
    std::printf("%f\n", y[100]);
}
