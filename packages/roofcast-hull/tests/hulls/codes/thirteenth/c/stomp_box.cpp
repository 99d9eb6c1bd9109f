// Three pedals in a row: overdrive, chorus, stereo width.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kSamples = 1 << 20;
constexpr float kRate = 48000.0f;

struct Frame {
    float left, right;
};

static void overdrive(std::vector<float> &buf, float drive, float mix) {
    for (auto &s : buf) {
        const float wet = std::tanh(drive * s);
        s += mix * (wet - s);
    }
}

static void chorus(const std::vector<float> &in, std::vector<float> &out) {
    const float base = 0.015f * kRate, depth = 0.004f * kRate;
    const float inc = 6.2831853f * 0.8f / kRate;
    for (int n = 0; n < kSamples; ++n) {
        const float delay = base + depth * std::sin(inc * n);
        const float at = n - delay;
        if (at < 0.0f) {
            out[n] = in[n];
            continue;
        }
        const float whole = std::floor(at);
        const int k = static_cast<int>(whole);
        const float fr = at - whole;
        const float tap = in[k] * (1.0f - fr) + in[k + 1] * fr;
        out[n] = 0.7f * in[n] + 0.5f * tap;
    }
}

static void widen(std::vector<Frame> &frames, float width) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
        Frame &f = frames[i];
        const float mid = 0.5f * (f.left + f.right);
        const float side = 0.5f * width * (f.left - f.right);
        f.left = mid + side;
        f.right = mid - side;
    }
}

int main() {
    std::vector<float> dry(kSamples), wet(kSamples);
    for (int i = 0; i < kSamples; ++i) dry[i] = 0.4f * std::sin(0.03f * i);
    overdrive(dry, 6.0f, 0.8f);
    chorus(dry, wet);
    std::vector<Frame> st(kSamples / 2);
    for (int i = 0; i < kSamples / 2; ++i) st[i] = {wet[2 * i], wet[2 * i + 1]};
    widen(st, 1.4f);
    std::printf("%g %g\n", st[99].left, st[1000].right);
}
