// columnar file encoding: the bytes of 32-bit values go to four streams, and back
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr unsigned N = 1u << 20;

void split(const uint32_t *values, uint8_t *streams)
{
    for (unsigned i = 0; i < N; ++i) {
        const uint32_t v = values[i];
        for (unsigned b = 0; b < 4; ++b)
            streams[b * N + i] = static_cast<uint8_t>((v >> (8 * b)) & 0xffu);
    }
}

void join(const uint8_t *streams, uint32_t *values)
{
    for (unsigned i = 0; i < N; ++i) {
        uint32_t v = 0;
        for (unsigned b = 0; b < 4; ++b)
            v |= static_cast<uint32_t>(streams[b * N + i]) << (8 * b);
        values[i] = v;
    }
}

int main()
{
    std::vector<uint32_t> a(N), c(N);
    std::vector<uint8_t> s(4 * N);
    for (unsigned i = 0; i < N; ++i) a[i] = i * 2654435761u;
    split(a.data(), s.data());
    join(s.data(), c.data());
    std::printf("%d\n", a == c);
}
