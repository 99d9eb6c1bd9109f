#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace tex {

struct Block { uint16_t c0, c1; uint32_t picks; };

constexpr int kBlocks = 64;
constexpr int kSide = 4 * kBlocks;

// four-colour blocks only
void decode_bc1(const Block* blocks, uint8_t* rgb) {
    for (int by = 0; by < kBlocks; ++by)
        for (int bx = 0; bx < kBlocks; ++bx) {
            const Block b = blocks[by * kBlocks + bx];
            int pal[4][3];
            const int ends[2] = {b.c0, b.c1};
            for (int k = 0; k < 2; ++k) {
                const int r = (ends[k] >> 11) & 31, g = (ends[k] >> 5) & 63, bl = ends[k] & 31;
                pal[k][0] = (r << 3) | (r >> 2);
                pal[k][1] = (g << 2) | (g >> 4);
                pal[k][2] = (bl << 3) | (bl >> 2);
            }
            for (int ch = 0; ch < 3; ++ch) {
                pal[2][ch] = (2 * pal[0][ch] + pal[1][ch]) / 3;
                pal[3][ch] = (pal[0][ch] + 2 * pal[1][ch]) / 3;
            }
            for (int y = 0; y < 4; ++y)
                for (int x = 0; x < 4; ++x) {
                    const int pick = (b.picks >> (2 * (4 * y + x))) & 3;
                    uint8_t* out = rgb + ((by * 4 + y) * kSide + bx * 4 + x) * 3;
                    out[0] = static_cast<uint8_t>(pal[pick][0]);
                    out[1] = static_cast<uint8_t>(pal[pick][1]);
                    out[2] = static_cast<uint8_t>(pal[pick][2]);
                }
        }
}

// third component of a normal map that keeps two
void normal_z(const uint8_t* xy, uint8_t* z) {
    for (int i = 0; i < kSide * kSide; ++i) {
        const float x = xy[2 * i] * (2.f / 255.f) - 1.f;
        const float y = xy[2 * i + 1] * (2.f / 255.f) - 1.f;
        const float q = std::fmax(0.f, 1.f - x * x - y * y);
        z[i] = static_cast<uint8_t>(std::sqrt(q) * 127.5f + 127.5f);
    }
}

}  // namespace tex

int main() {
    std::vector<tex::Block> blocks(tex::kBlocks * tex::kBlocks);
    std::vector<uint8_t> rgb(tex::kSide * tex::kSide * 3), xy(tex::kSide * tex::kSide * 2), z(tex::kSide * tex::kSide);
    for (size_t i = 0; i < blocks.size(); ++i)
        blocks[i] = {uint16_t(i * 40503u), uint16_t(i * 977u), uint32_t(i * 2654435761u)};
    for (size_t i = 0; i < xy.size(); ++i) xy[i] = uint8_t(i * 29);
    tex::decode_bc1(blocks.data(), rgb.data());
    tex::normal_z(xy.data(), z.data());
    std::printf("%d %d %d %d\n", rgb[300], rgb[301], rgb[302], z[99]);
}
