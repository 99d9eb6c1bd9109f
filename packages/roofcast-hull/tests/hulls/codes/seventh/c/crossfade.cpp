// Equal-power crossfade of two stereo takes. By hand: 1 for the position, 1 + 2 for the gains, 6 for the mix: 10 a frame
// (the position may be called index arithmetic).
#include <cmath>
#include <iostream>
#include <vector>

struct Frame {
    float left;
    float right;
};

constexpr std::size_t kSampleRate = 48000;
constexpr std::size_t kFadeFrames = 2 * kSampleRate;

void crossfade(const std::vector<Frame>& outgoing, const std::vector<Frame>& incoming, std::vector<Frame>& mix)
{
    const float step = 1.0f / static_cast<float>(kFadeFrames);
    const float half_pi = 1.57079632679f;
    for (std::size_t i = 0; i < kFadeFrames; ++i) {
        const float phase = static_cast<float>(i) * step * half_pi;
        const float fade_out = std::cos(phase);
        const float fade_in = std::sin(phase);
        mix[i].left = fade_out * outgoing[i].left + fade_in * incoming[i].left;
        mix[i].right = fade_out * outgoing[i].right + fade_in * incoming[i].right;
    }
}

int main()
{
    std::vector<Frame> a(kFadeFrames), b(kFadeFrames), out(kFadeFrames);
    for (std::size_t i = 0; i < kFadeFrames; ++i) {
        a[i] = {std::sin(0.05f * i), std::sin(0.051f * i)};
        b[i] = {std::cos(0.02f * i), std::cos(0.021f * i)};
    }
    crossfade(a, b, out);
    std::cout << out[kFadeFrames / 2].left << '\n';
}
