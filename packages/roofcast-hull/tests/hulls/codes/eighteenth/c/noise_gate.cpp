// Broadcast noise gate: level of each block, then a gain per block that the samples are ridden with.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>

template <class T> struct Span {
    T* data; std::size_t n;
    T& operator[](std::size_t i) const { return data[i]; }
    std::size_t size() const { return n; }
};

static constexpr std::size_t kBlock = 256;
static constexpr std::size_t kBlocks = 3750;      // twenty seconds at 48 kHz
static constexpr std::size_t kSamples = kBlock * kBlocks;

template <std::size_t B>
void block_rms(Span<const float> pcm, Span<float> rms)
{
    for (std::size_t b = 0; b < kBlocks; ++b) {
        float acc = 0.f;
        for (std::size_t i = 0; i < B; ++i) {
            const float s = pcm[b * B + i];
            acc += s * s;
        }
        rms[b] = std::sqrt(acc / B);
    }
}

void ride_gain(Span<float> pcm, Span<const float> rms, float open, float floor_gain)
{
    for (std::size_t i = 0; i < kSamples; ++i) {
        float level = rms[i / kBlock];
        float g = level < open ? floor_gain : 1.0f;
        pcm[i] *= g;
    }
}

int main()
{
    std::unique_ptr<float[]> pcm(new float[kSamples]), rms(new float[kBlocks]);
    for (std::size_t i = 0; i < kSamples; ++i)
        pcm[i] = std::sin(0.01f * i) * ((i / 5000) % 2 ? 0.5f : 0.001f);
    block_rms<kBlock>({pcm.get(), kSamples}, {rms.get(), kBlocks});
    ride_gain({pcm.get(), kSamples}, {rms.get(), kBlocks}, 0.02f, 0.1f);
    std::printf("%f\n", pcm[12345]);
}
