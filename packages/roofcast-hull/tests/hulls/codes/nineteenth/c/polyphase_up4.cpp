#include <cmath>
#include <cstdio>
#include <memory>

template <typename T, int L, int TAPS>
class Upsampler {
public:
    explicit Upsampler(const T* proto)
    {
        for (int p = 0; p < L; ++p)
            for (int k = 0; k < TAPS; ++k)
                h[p][k] = proto[k * L + p];
    }
    T h[L][TAPS];
};

static const int NIN = 50000;

void upsample(const Upsampler<float, 4, 8>& u, const float* x, float* y)
{
    for (int n = 0; n < NIN - 7; ++n)
        for (int p = 0; p < 4; ++p) {
            float acc = 0.f;
            for (int k = 0; k < 8; ++k)
                acc += u.h[p][k] * x[n + 7 - k];
            y[4 * n + p] = acc;
        }
}

// true peak in dB over the oversampled signal
float true_peak(const float* y)
{
    float m = 1e-9f;
    for (int i = 0; i < 4 * (NIN - 7); ++i)
        m = std::fmax(m, std::fabs(y[i]));
    return 20 * std::log10(m);
}

int main()
{
    float proto[32];
    for (int i = 0; i < 32; ++i) {
        float t = (i - 15.5f) / 4;
        proto[i] = std::sin(3.14159f * t) / (3.14159f * t);
    }
    Upsampler<float, 4, 8> up(proto);
    std::unique_ptr<float[]> x(new float[NIN]), y(new float[4 * NIN]);
    for (int i = 0; i < NIN; ++i)
        x[i] = std::sin(i * 1.57f + 0.78f);
    upsample(up, x.get(), y.get());
    std::printf("%f dB\n", true_peak(y.get()));
}
