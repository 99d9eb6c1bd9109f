#include <cmath>
#include <iostream>
#include <vector>

using Buf = std::vector<float>;
static const int B = 64, I = 128, H = 256;

static inline float sigm(float x) { return 0.5f * std::tanh(0.5f * x) + 0.5f; }

void project(const Buf& x, const Buf& w, const Buf& bias, Buf& gates)
{
    for (int b = 0; b < B; b++)
        for (int o = 0; o < 3 * H; o++) {
            float acc = bias[o];
            for (int k = 0; k < I; k++)
                acc += x[b * I + k] * w[o * I + k];
            gates[b * 3 * H + o] = acc;
        }
}

void gru_cell(const Buf& gi, const Buf& gh, Buf& h)
{
    for (int b = 0; b < B; b++) {
        const float* p = &gi[b * 3 * H];
        const float* q = &gh[b * 3 * H];
        for (int j = 0; j < H; j++) {
            const float r = sigm(p[j] + q[j]);
            const float z = sigm(p[H + j] + q[H + j]);
            const float n = std::tanh(p[2 * H + j] + r * q[2 * H + j]);
            h[b * H + j] = n + z * (h[b * H + j] - n);
        }
    }
}

int main()
{
    Buf x(B * I, 0.3f), w(3 * H * I, 0.01f), bias(3 * H, 0.1f), gi(B * 3 * H), gh(B * 3 * H, 0.2f), h(B * H, 0.f);
    for (int t = 0; t < 4; t++) {
        project(x, w, bias, gi);
        gru_cell(gi, gh, h);
    }
    std::cout << h[17] << '\n';
}
