#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

// Spectral angle mapper: how far each pixel of a hyperspectral cube is from a reference spectrum

class Cube {
public:
    Cube(int rows, int cols, int bands) : rows_(rows), cols_(cols), bands_(bands), data_((size_t)rows * cols * bands) {}
    float* data() { return data_.data(); }
    int pixels() const { return rows_ * cols_; }
    int bands() const { return bands_; }

private:
    int rows_, cols_, bands_;
    std::vector<float> data_;
};

void spectral_angle(const float* cube, const float* reference, float reference_norm, float* angle, int pixels, int bands)
{
#pragma omp parallel for schedule(static)
    for (int p = 0; p < pixels; p++) {
        const float* spectrum = cube + (size_t)p * bands;
        float dot = 0.0f;
        float norm2 = 0.0f;
        for (int b = 0; b < bands; b++) {
            dot += spectrum[b] * reference[b];
            norm2 += spectrum[b] * spectrum[b];
        }
        float c = dot / (std::sqrt(norm2) * reference_norm);
        c = std::min(1.0f, std::max(-1.0f, c));
        angle[p] = std::acos(c);
    }
}

int main()
{
    const int rows = 512, cols = 614, bands = 128;
    Cube cube(rows, cols, bands);
    for (size_t i = 0; i < (size_t)rows * cols * bands; i++) cube.data()[i] = (std::rand() % 1000) * 0.001f;
    std::vector<float> reference(bands), angle(rows * cols);
    float norm2 = 0;
    for (int b = 0; b < bands; b++) {
        reference[b] = cube.data()[b];
        norm2 += reference[b] * reference[b];
    }
    const auto t0 = std::chrono::steady_clock::now();
    spectral_angle(cube.data(), reference.data(), std::sqrt(norm2), angle.data(), rows * cols, bands);
    const auto t1 = std::chrono::steady_clock::now();
    std::cout << std::chrono::duration<double>(t1 - t0).count() << " s, pixel 0 " << angle[0] << ", pixel 1 " << angle[1] << "\n";
    return 0;
}
