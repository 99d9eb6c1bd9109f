// Natural widths of lines set in a font with kerning pairs, and how badly each fills its measure.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <algorithm>
#include <memory>

namespace setting {

constexpr int lines = 2048, letters = 72, glyphs = 96;
constexpr float measure = 30000.0f;

struct Font {
    int16_t advance[glyphs];
    int16_t kern[glyphs][glyphs];
};

struct Page {
    uint8_t code[lines][letters];
    int width[lines];
    int spaces[lines];
    float badness[lines];
};

static Font font;
static Page page;

void natural_widths() {
    for (int l = 0; l < lines; ++l) {
        const uint8_t* c = page.code[l];
        int w = font.advance[c[0]];
        for (int i = 1; i < letters; ++i)
            w += font.advance[c[i]] + font.kern[c[i - 1]][c[i]];
        page.width[l] = w;
    }
}

void count_spaces() {
    constexpr uint8_t blank = 0;
    for (auto& n : page.spaces)
        n = 1;
    for (int l = 0; l < lines; ++l)
        for (uint8_t c : page.code[l])
            page.spaces[l] += c == blank ? 1 : 0;
}

void badnesses() {
    for (int l = 0; l < lines; ++l) {
        float stretch = 166.0f * page.spaces[l];
        float r = std::fabs((measure - page.width[l]) / stretch);
        page.badness[l] = std::min(100.0f * r * r * r, 10000.0f);
    }
}

}  // namespace setting

int main() {
    using namespace setting;
    for (int g = 0; g < glyphs; ++g) {
        font.advance[g] = static_cast<int16_t>(g == 0 ? 250 : 300 + 7 * (g % 50));
        for (int k = 0; k < glyphs; ++k)
            font.kern[g][k] = static_cast<int16_t>((g * k) % 13 - 9);
    }
    for (int l = 0; l < lines; ++l)
        for (int i = 0; i < letters; ++i)
            page.code[l][i] = static_cast<uint8_t>((l * 31 + i * i * 7 + l * i) % (i % 6 == 5 ? 1 : glyphs));
    natural_widths();
    count_spaces();
    badnesses();
    std::printf("%d %d %g\n", page.width[3], page.spaces[3], page.badness[3]);
}
