// Low-pass and keep each fourth sample; only the samples that are kept get computed.
// Checked: compiles, a constant stays constant; outputs (48000-33)/4+1 = 11992 counted by running.
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

template <int Factor, int Taps>
class Decimator {
public:
    Decimator()
    {
        float sum = 0;
        for (int k = 0; k < Taps; ++k) {
            const float t = k - (Taps - 1) / 2.0f;
            const float s = t == 0 ? 1.0f : std::sin(3.14159265f * t / Factor) * Factor / (3.14159265f * t);
            h_[k] = s * (0.54f - 0.46f * std::cos(2 * 3.14159265f * k / (Taps - 1)));
            sum += h_[k];
        }
        for (auto& c : h_) c /= sum;
    }

    const float* taps() const { return h_.data(); }

private:
    std::array<float, Taps> h_;
};

constexpr int FACTOR = 4;
constexpr int TAPS = 33;
constexpr int N_IN = 48000;
constexpr int N_OUT = (N_IN - TAPS) / FACTOR + 1;

void decimate(const float* __restrict in, const float* __restrict h, float* __restrict out)
{
    for (int m = 0; m < N_OUT; ++m) {
        const float* p = in + m * FACTOR;
        float acc = 0.0f;
        for (int k = 0; k < TAPS; ++k)
            acc += h[k] * p[k];
        out[m] = acc;
    }
}

int main()
{
    Decimator<FACTOR, TAPS> d;
    std::vector<float> x(N_IN), y(N_OUT);
    for (int i = 0; i < N_IN; ++i)
        x[i] = 1.0f;
    decimate(x.data(), d.taps(), y.data());
    std::printf("%d outputs, first %.6f last %.6f\n", N_OUT, y.front(), y.back());
    return 0;
}
