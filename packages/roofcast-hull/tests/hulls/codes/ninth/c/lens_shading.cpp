// Black level, lens shading and white balance of a Bayer raw frame.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <vector>

struct RawFrame {
    int width = 4000;
    int height = 3000;
    std::vector<std::uint16_t> data;

    RawFrame() : data(static_cast<std::size_t>(width) * height) {}
};

void correct_shading(const RawFrame& in, const std::vector<float>& gain_map,
                     const std::array<float, 4>& wb, float black, RawFrame& out)
{
    const int w = in.width;
    const int h = in.height;
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            const std::size_t p = static_cast<std::size_t>(y) * w + x;
            const int site = ((y & 1) << 1) | (x & 1);   // R Gr / Gb B
            const float value = (in.data[p] - black) * gain_map[p] * wb[site] + 0.5f;
            out.data[p] = static_cast<std::uint16_t>(std::clamp(value, 0.0f, 16383.0f));
        }
    }
}

int main()
{
    RawFrame raw, fixed;
    std::vector<float> gain(raw.data.size());
    for (int y = 0; y < raw.height; ++y)
        for (int x = 0; x < raw.width; ++x) {
            const float dx = (x - 2000) / 2000.0f, dy = (y - 1500) / 1500.0f;
            gain[static_cast<std::size_t>(y) * raw.width + x] = 1.0f + 0.35f * (dx * dx + dy * dy);
            raw.data[static_cast<std::size_t>(y) * raw.width + x] =
                static_cast<std::uint16_t>(512 + (x * 7 + y * 13) % 9000);
        }

    correct_shading(raw, gain, {2.1f, 1.0f, 1.0f, 1.6f}, 512.0f, fixed);

    std::cout << "corner " << fixed.data.front() << " centre "
              << fixed.data[fixed.data.size() / 2] << '\n';
    return 0;
}
