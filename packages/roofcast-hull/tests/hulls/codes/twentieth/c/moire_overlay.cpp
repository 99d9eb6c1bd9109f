// Screen-blends a scanned moire sheet over a photograph, then embosses its luma.
#include <cstdint>
#include <cstdio>
#include <vector>

struct Px { uint8_t r, g, b; };

constexpr int W = 1280, H = 720;

static inline uint8_t screen(int a, int b) { return uint8_t(255 - (255 - a) * (255 - b) / 255); }

void overlay(std::vector<Px>& base, const std::vector<Px>& sheet)
{
    for (size_t i = 0; i < size_t(W) * H; ++i) {
        Px& d = base[i];
        const Px s = sheet[i];
        d.r = screen(d.r, s.r);
        d.g = screen(d.g, s.g);
        d.b = screen(d.b, s.b);
    }
}

void luma(const std::vector<Px>& in, std::vector<int16_t>& y)
{
    auto weigh = [](const Px& p) { return (77 * p.r + 150 * p.g + 29 * p.b) >> 8; };
    for (int i = 0; i < W * H; i++)
        y[i] = int16_t(weigh(in[i]));
}

void emboss(const std::vector<int16_t>& y, std::vector<int16_t>& out)
{
    for (int r = 1; r + 1 < H; ++r) {
        const int16_t* up = &y[(r - 1) * W];
        const int16_t* dn = &y[(r + 1) * W];
        const int16_t* me = &y[r * W];
        for (int c = 1; c + 1 < W; ++c)
            out[r * W + c] = int16_t(128 + 2 * (dn[c + 1] - up[c - 1]) + (dn[c] - up[c]) + (me[c + 1] - me[c - 1]));
    }
}

int main()
{
    std::vector<Px> a(W * H), b(W * H);
    std::vector<int16_t> y(W * H), e(W * H);
    for (int i = 0; i < W * H; i++) {
        a[i] = { uint8_t(i), uint8_t(i >> 3), uint8_t(i >> 5) };
        b[i] = { uint8_t(i * 7), uint8_t(i * 5), uint8_t(i * 3) };
    }
    overlay(a, b);
    luma(a, y);
    emboss(y, e);
    std::printf("%d\n", e[W * 10 + 10]);
}
