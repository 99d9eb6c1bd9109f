// A game's screen from tiles of 16 by 16, pixels of 5-6-5 bits: drawing, fading to black, mixing two screens.
#include <cstdint>
#include <cstdio>
#include <vector>

using Pixel = std::uint16_t;
constexpr int kH = 480, kW = 640, kT = 16, kTiles = 64, kMapW = kW / kT, kMapH = kH / kT;

static std::uint8_t level[kMapH][kMapW];
static Pixel atlas[kTiles][kT][kT];

void draw(std::vector<Pixel>& screen)
{
    for (int y = 0; y < kH; ++y) {
        Pixel* line = &screen[y * kW];
        for (int x = 0; x < kW; ++x)
            line[x] = atlas[level[y / kT][x / kT]][y % kT][x % kT];
    }
}

void fade(std::vector<Pixel>& screen)
{
    for (Pixel& p : screen)
        p = static_cast<Pixel>((p & 0xF7DE) >> 1);
}

void mix(const std::vector<Pixel>& a, const std::vector<Pixel>& b, std::vector<Pixel>& out)
{
    const auto half = [](unsigned p) { return (p & 0xF7DEu) >> 1; };
    std::size_t i = 0;
    const std::size_t n = out.size();
    while (i != n) {
        out[i] = static_cast<Pixel>(half(a[i]) + half(b[i]));
        ++i;
    }
}

int main()
{
    std::vector<Pixel> one(kH * kW), two(kH * kW), both(kH * kW);
    for (int r = 0; r < kMapH; ++r)
        for (int c = 0; c < kMapW; ++c)
            level[r][c] = static_cast<std::uint8_t>((r * 11 + c * 5) % kTiles);
    for (int t = 0; t < kTiles; ++t)
        for (int y = 0; y < kT; ++y)
            for (int x = 0; x < kT; ++x)
                atlas[t][y][x] = static_cast<Pixel>(t * 997 + y * 31 + x);
    draw(one);
    two = one;
    fade(two);
    mix(one, two, both);
    std::printf("%d %d %d\n", one[5000], two[5000], both[5000]);
}
