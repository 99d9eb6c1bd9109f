#include <cmath>
#include <cstdint>
#include <memory>

// Central differences; the outermost pixels have no gradient.
void gradient_magnitude(const std::uint8_t *img, float *mag, int width, int height)
{
#pragma omp parallel for collapse(2)
    for (int y = 1; y < height - 1; ++y) {
        for (int x = 1; x < width - 1; ++x) {
            const int k = y * width + x;
            const float gx = 0.5f * (img[k + 1] - img[k - 1]);
            const float gy = 0.5f * (img[k + width] - img[k - width]);
            mag[k] = std::sqrt(gx * gx + gy * gy);
        }
    }
}

int main()
{
    constexpr int width = 1600, height = 1200;
    auto img = std::make_unique<std::uint8_t[]>(width * height);
    auto mag = std::make_unique<float[]>(width * height);
    gradient_magnitude(img.get(), mag.get(), width, height);
}
