// A capture of packets in columns: hops travelled, classes of traffic, gaps between arrivals.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kPackets = 1 << 20;

void hop_counts(const std::vector<uint8_t>& ttl, uint32_t (&hist)[256]) {
    for (int h = 0; h < 256; ++h)
        hist[h] = 0;
    for (int i = 0; i < kPackets; ++i) {
        const int t = ttl[i];
        const int sent = t <= 64 ? 64 : t <= 128 ? 128 : 255;
        ++hist[sent - t];
    }
}

void traffic_class(const std::vector<uint16_t>& port, std::vector<uint8_t>& kind) {
    for (int i = 0; i < kPackets; ++i) {
        uint8_t k;
        switch (port[i]) {
            case 53:
            case 123:
                k = 1;
                break;
            case 80:
            case 443:
                k = 2;
                break;
            case 5060:
                k = 3;
                break;
            default:
                k = 0;
        }
        kind[i] = k;
    }
}

void gaps(const std::vector<uint32_t>& stamp, std::vector<uint32_t>& gap) {
    auto out = gap.begin();
    for (auto it = stamp.begin() + 1; it != stamp.end(); ++it)
        *out++ = *it - *(it - 1);
}

// Records lie one after the other, each with its length in its first byte.
int walk_records(const std::vector<uint8_t>& blob) {
    int records = 0;
    std::size_t at = 0;
    while (at < blob.size() && blob[at] != 0) {
        at += blob[at];
        ++records;
    }
    return records;
}

int main() {
    std::vector<uint8_t> ttl(kPackets), kind(kPackets);
    std::vector<uint16_t> port(kPackets);
    std::vector<uint32_t> stamp(kPackets), gap(kPackets - 1);
    static uint32_t hist[256];
    static const uint16_t seen[] = {53, 443, 80, 5060, 123, 8080, 22};
    for (int i = 0; i < kPackets; ++i) {
        ttl[i] = static_cast<uint8_t>((i % 3 == 0 ? 64 : i % 3 == 1 ? 128 : 255) - i % 23);
        port[i] = seen[i % 7];
        stamp[i] = 40u * i + i % 31;
    }
    std::vector<uint8_t> blob(65536, 12);
    hop_counts(ttl, hist);
    traffic_class(port, kind);
    gaps(stamp, gap);
    std::printf("%d %u %d %u\n", walk_records(blob), hist[7], kind[100], gap[5000]);
}
