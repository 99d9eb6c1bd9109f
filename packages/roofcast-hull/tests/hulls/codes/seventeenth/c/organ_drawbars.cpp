// A drawbar organ: nine sine partials, a rotating loudspeaker, and a limiter.
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kSamples = 96000;
constexpr float kRate = 48000.0f;
constexpr std::array<float, 9> kRatio = {0.5f, 1.5f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 8.0f};

class Organ {
public:
    explicit Organ(float hz) : omega_(6.2831853f * hz / kRate) { level_.fill(0.1f); }
    void pull(int bar, float level) { level_[bar] = level; }
    void render(std::vector<float>& out) const;

private:
    float omega_;
    std::array<float, 9> level_;
};

void Organ::render(std::vector<float>& out) const {
    for (int n = 0; n < kSamples; ++n) {
        const float phase = omega_ * n;
        float s = 0.0f;
        for (int h = 0; h < 9; ++h)
            s += level_[h] * std::sin(kRatio[h] * phase);
        out[n] = s;
    }
}

static void rotor(const std::vector<float>& mono, const std::vector<float>& pan, std::vector<float>& stereo) {
    const auto left = [&](int n) { return mono[n] * pan[n]; };
    const auto right = [&](int n) { return mono[n] * (1.0f - pan[n]); };
    for (int n = 0; n < kSamples; ++n) {
        stereo[2 * n] = left(n);
        stereo[2 * n + 1] = right(n);
    }
}

static void limiter(const std::vector<float>& in, std::vector<float>& out) {
    float held = 0.0f;
    for (int n = 0; n < kSamples; ++n) {
        const float size = std::fabs(in[n]);
        held = size > held ? size : held + 0.0005f * (size - held);
        out[n] = held > 1.0f ? in[n] / held : in[n];
    }
}

int main() {
    std::vector<float> mono(kSamples), pan(kSamples), stereo(2 * kSamples), limited(kSamples);
    Organ organ(220.0f);
    organ.pull(2, 0.8f);
    organ.pull(0, 0.6f);
    organ.render(mono);
    for (int n = 0; n < kSamples; ++n)
        pan[n] = 0.5f + 0.4f * std::sin(0.0008f * n);
    rotor(mono, pan, stereo);
    limiter(mono, limited);
    std::printf("%g %g %g\n", mono[100], stereo[301], limited[4000]);
}
