// Keys of 64 bytes, hashed in four lanes, and how they fall into buckets.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {
constexpr std::uint32_t P1 = 2654435761u, P2 = 2246822519u, P3 = 3266489917u;
constexpr int kKeys = 32768, kWords = 16, kBuckets = 1024;

template <int R>
constexpr std::uint32_t rotl(std::uint32_t v) { return (v << R) | (v >> (32 - R)); }

constexpr std::uint32_t round32(std::uint32_t acc, std::uint32_t word) { return rotl<13>(acc + word * P2) * P1; }
}

void hash_keys(const std::uint32_t* words, std::vector<std::uint32_t>& digest)
{
    for (int k = 0; k < kKeys; ++k) {
        std::array<std::uint32_t, 4> lane{P1 + P2, P2, 0u, 0u - P1};
        const std::uint32_t* key = words + k * kWords;
        for (int stripe = 0; stripe < kWords / 4; ++stripe)
            for (int i = 0; i < 4; ++i)
                lane[i] = round32(lane[i], key[4 * stripe + i]);
        std::uint32_t h = rotl<1>(lane[0]) + rotl<7>(lane[1]) + rotl<12>(lane[2]) + rotl<18>(lane[3]);
        h += 4u * kWords;
        h ^= h >> 15;
        h *= P2;
        h ^= h >> 13;
        h *= P3;
        h ^= h >> 16;
        digest[k] = h;
    }
}

void fill_buckets(const std::vector<std::uint32_t>& digest, std::vector<int>& size)
{
    for (auto h : digest)
        ++size[h & (kBuckets - 1)];
}

int main()
{
    std::vector<std::uint32_t> words(kKeys * kWords), digest(kKeys);
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<std::uint32_t>(i * 40503u + 7u);
    hash_keys(words.data(), digest);
    std::vector<int> size(kBuckets, 0);
    fill_buckets(digest, size);
    std::printf("%u %d\n", digest[5], size[9]);
}
