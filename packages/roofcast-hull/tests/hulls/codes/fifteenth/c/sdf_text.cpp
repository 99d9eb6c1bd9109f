// signed distance field text: smooth coverage blended over a grey plane, and a drop shadow of the glyph plane
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int W = 1024, H = 1024;
constexpr float EDGE_LO = 0.45f, EDGE_HI = 0.55f;
constexpr float INV = 1.0f / (EDGE_HI - EDGE_LO);

void blend_glyphs(const std::vector<uint8_t> &sdf, std::vector<float> &plane, float ink)
{
    auto smooth = [](float d) {
        float t = std::min(1.0f, std::max(0.0f, (d - EDGE_LO) * INV));
        return t * t * (3.0f - 2.0f * t);
    };
    for (int i = 0; i < W * H; ++i) {
        const float cov = smooth(sdf[i] * (1.0f / 255.0f));
        const float under = plane[i];
        plane[i] = under + (ink - under) * cov;
    }
}

void drop_shadow(const uint8_t (*glyph)[W], uint8_t (*out)[W])
{
    for (int y = 2; y < H; ++y)
        for (int x = 2; x < W; ++x) {
            uint8_t faint = glyph[y - 2][x - 2] >> 1;
            out[y][x] = glyph[y][x] > faint ? glyph[y][x] : faint;
        }
}

static uint8_t shade[H][W];

int main()
{
    std::vector<uint8_t> sdf(W * H);
    std::vector<float> plane(W * H, 0.8f);
    for (int i = 0; i < W * H; ++i) sdf[i] = (i * 37 + i / W * 11) & 255;
    blend_glyphs(sdf, plane, 0.1f);
    drop_shadow(reinterpret_cast<const uint8_t(*)[W]>(sdf.data()), shade);
    std::printf("%f %d\n", plane[500], shade[9][9]);
}
