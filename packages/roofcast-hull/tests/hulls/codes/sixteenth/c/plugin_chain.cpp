// Blocks of an audio plug-in: saturation by a functor, width of the stereo image, a comb with feedback.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kFrames = 96000;
constexpr int kDelay = 480;

struct Saturator {
    float drive = 2.5f, makeup = 0.8f;
    float operator()(float x) const noexcept { return makeup * std::tanh(drive * x); }
};

template <class Shaper>
void shape(float* buf, int n, Shaper f)
{
    for (float* p = buf; p != buf + n; ++p)
        *p = f(*p);
}

void widen(std::vector<float>& lr, float width)
{
    for (int n = 0; n < kFrames; ++n) {
        float& l = lr[2 * n];
        float& r = lr[2 * n + 1];
        const float mid = 0.5f * (l + r);
        const float side = 0.5f * (l - r) * width;
        l = mid + side;
        r = mid - side;
    }
}

void comb(const std::vector<float>& x, std::vector<float>& y, float feedback)
{
    for (int n = kDelay; n < kFrames; ++n)
        y[n] = x[n] + feedback * y[n - kDelay];
}

int main()
{
    std::vector<float> stereo(2 * kFrames), mono(kFrames), wet(kFrames);
    for (int n = 0; n < kFrames; ++n) {
        stereo[2 * n] = std::sin(0.01f * n);
        stereo[2 * n + 1] = std::sin(0.011f * n);
        mono[n] = 0.5f * stereo[2 * n];
    }
    shape(mono.data(), kFrames, Saturator{});
    widen(stereo, 1.4f);
    comb(mono, wet, 0.7f);
    std::printf("%g %g %g\n", mono[500], stereo[501], wet[5000]);
}
