#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kW = 1280, kH = 720, kCell = 16;

struct Gray {
    std::vector<uint8_t> px = std::vector<uint8_t>(kW * kH);
    uint8_t& at(int y, int x) { return px[y * kW + x]; }
    const uint8_t& at(int y, int x) const { return px[y * kW + x]; }
};

void pixelate(const Gray& src, Gray& dst)
{
    for (int ty = 0; ty < kH; ty += kCell)
        for (int tx = 0; tx < kW; tx += kCell) {
            unsigned acc = 0;
            for (int y = ty; y < ty + kCell; ++y)
                for (int x = tx; x < tx + kCell; ++x)
                    acc += src.at(y, x);
            const uint8_t mean = acc / (kCell * kCell);
            for (int y = ty; y < ty + kCell; ++y)
                for (int x = tx; x < tx + kCell; ++x)
                    dst.at(y, x) = mean;
        }
}

// blend by a soft mask
void apply(Gray& frame, const Gray& censored, const Gray& mask)
{
    auto f = frame.px.begin();
    auto c = censored.px.cbegin();
    for (auto m = mask.px.cbegin(); m != mask.px.cend(); ++m, ++f, ++c)
        *f = static_cast<uint8_t>((*f * (255 - *m) + *c * *m) >> 8);
}

int main()
{
    Gray frame, blocky, mask;
    for (int y = 0; y < kH; ++y)
        for (int x = 0; x < kW; ++x) {
            frame.at(y, x) = static_cast<uint8_t>(x ^ y);
            mask.at(y, x) = x > 600 && x < 700 ? 255 : 0;
        }
    pixelate(frame, blocky);
    apply(frame, blocky, mask);
    std::printf("%d\n", frame.at(300, 650));
}
