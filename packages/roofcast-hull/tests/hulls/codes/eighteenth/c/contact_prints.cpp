// Negatives come off the scanner sideways: quarter turn by blocks, then the inversion against the film base.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

typedef std::uint16_t u16;
constexpr int ROWS = 960, COLS = 1280, B = 32;

void quarter_turn(const u16* in, u16* out)
{
    for (int r0 = 0; r0 < ROWS; r0 += B)
        for (int c0 = 0; c0 < COLS; c0 += B)
            for (int r = r0; r < r0 + B; ++r)
                for (int c = c0; c < c0 + B; ++c)
                    out[c * ROWS + (ROWS - 1 - r)] = in[r * COLS + c];
}

void invert_film(std::vector<u16>& px, const u16 base)
{
    std::transform(px.begin(), px.begin() + ROWS * COLS, px.begin(),
                   [base](u16 v) { return static_cast<u16>(v >= base ? 0 : base - v); });
}

int main()
{
    std::vector<u16> scan(ROWS * COLS), print(ROWS * COLS);
    for (int i = 0; i < ROWS * COLS; ++i) scan[i] = u16(i * 2654435761u >> 16);
    quarter_turn(scan.data(), print.data());
    invert_film(print, 61000);
    std::printf("%u\n", print[777]);
}
