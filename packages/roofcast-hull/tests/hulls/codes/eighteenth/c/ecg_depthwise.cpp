// Depthwise layer of a small arrhythmia net: three taps a channel, folded batch norm, hard tanh.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

template <int C, int T>
struct Feature { float at[C][T]; };

constexpr int CH = 64, LEN = 1024, PAD = 1;
using In = Feature<CH, LEN + 2 * PAD>;
using Out = Feature<CH, LEN>;

struct Layer {
    std::array<std::array<float, 3>, CH> w;
    std::array<float, CH> gain, bias;
};

void depthwise3(const In& x, const Layer& l, Out& y)
{
    #pragma omp parallel for
    for (int c = 0; c < CH; ++c) {
        const auto& w = l.w[c];
        for (int t = 0; t < LEN; ++t) {
            float acc = w[0] * x.at[c][t] + w[1] * x.at[c][t + 1] + w[2] * x.at[c][t + 2];
            acc = acc * l.gain[c] + l.bias[c];
            y.at[c][t] = std::min(1.0f, std::max(-1.0f, acc));
        }
    }
}

int main()
{
    auto x = std::make_unique<In>();
    auto y = std::make_unique<Out>();
    auto l = std::make_unique<Layer>();
    for (int c = 0; c < CH; ++c) {
        l->w[c] = {0.2f, 0.5f, -0.1f};
        l->gain[c] = 1.0f + 0.01f * c;
        l->bias[c] = 0.05f;
        for (int t = 0; t < LEN + 2 * PAD; ++t) x->at[c][t] = ((t * 17 + c * 5) % 101 - 50) / 50.0f;
    }
    depthwise3(*x, *l, *y);
    std::printf("%f\n", y->at[3][100]);
}
