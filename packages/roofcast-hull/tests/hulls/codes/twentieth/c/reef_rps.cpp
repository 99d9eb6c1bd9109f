// Three corals that overgrow each other in a circle; the sea wraps around.
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>

constexpr int SIDE = 512;
using Reef = std::array<std::array<std::uint8_t, SIDE>, SIDE>;

void tide(const Reef& now, Reef& next, int need)
{
    static constexpr int DY[8] = {-1, -1, -1, 0, 0, 1, 1, 1};
    static constexpr int DX[8] = {-1, 0, 1, -1, 1, -1, 0, 1};
    for (int y = 0; y < SIDE; ++y)
        for (int x = 0; x < SIDE; ++x) {
            const std::uint8_t me = now[y][x];
            const std::uint8_t foe = (me + 1) % 3;
            int foes = 0;
            for (int k = 0; k < 8; ++k)
                foes += now[(y + DY[k] + SIDE) % SIDE][(x + DX[k] + SIDE) % SIDE] == foe;
            next[y][x] = foes >= need ? foe : me;
        }
}

std::array<int, 3> census(const Reef& r)
{
    std::array<int, 3> n{};
    for (const auto& row : r)
        for (std::uint8_t s : row)
            n[s]++;
    return n;
}

int main()
{
    auto a = std::make_unique<Reef>(), b = std::make_unique<Reef>();
    for (int y = 0; y < SIDE; ++y)
        for (int x = 0; x < SIDE; ++x)
            (*a)[y][x] = std::uint8_t((x * 2654435761u + y * 40503u) >> 9) % 3;
    for (int t = 0; t < 10; ++t) {
        tide(*a, *b, 3);
        a.swap(b);
    }
    auto n = census(*a);
    std::printf("%d %d %d\n", n[0], n[1], n[2]);
}
