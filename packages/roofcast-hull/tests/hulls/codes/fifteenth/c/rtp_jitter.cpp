// inter-arrival jitter of many RTP streams, RFC 3550 style smoothing
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int STREAMS = 4096;
constexpr int PACKETS = 500;

void jitter(const std::vector<uint32_t> &arrival, const std::vector<uint32_t> &stamp,
            std::vector<float> &smooth, std::vector<float> &worst)
{
#pragma omp parallel for
    for (int s = 0; s < STREAMS; ++s) {
        const uint32_t *a = &arrival[s * PACKETS];
        const uint32_t *t = &stamp[s * PACKETS];
        uint32_t before = a[0] - t[0];
        float j = 0.0f, peak = 0.0f;
        for (int i = 1; i < PACKETS; ++i) {
            uint32_t transit = a[i] - t[i];
            float d = std::fabs(static_cast<float>(static_cast<int32_t>(transit - before)));
            before = transit;
            j += (d - j) * 0.0625f;
            peak = std::fmax(peak, j);
        }
        smooth[s] = j;
        worst[s] = peak;
    }
}

int main()
{
    std::vector<uint32_t> arrival(STREAMS * PACKETS), stamp(STREAMS * PACKETS);
    std::vector<float> smooth(STREAMS), worst(STREAMS);
    for (int s = 0; s < STREAMS; ++s)
        for (int i = 0; i < PACKETS; ++i) {
            stamp[s * PACKETS + i] = 160u * i;
            arrival[s * PACKETS + i] = 160u * i + 1000u + (i * 2654435761u >> 27);
        }
    jitter(arrival, stamp, smooth, worst);
    std::printf("%f %f\n", smooth[3], worst[3]);
}
