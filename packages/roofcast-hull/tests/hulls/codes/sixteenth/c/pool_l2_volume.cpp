// Features of a volume of lidar returns: pooling by root mean square, largest return of each slice.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

enum Stride : int { D = 48, H = 96, Wd = 96, Row = Wd, Slice = H * Wd, HalfRow = Wd / 2, HalfSlice = (H / 2) * (Wd / 2) };

void pool_rms(const float* in, float* out)
{
#pragma omp parallel for collapse(3)
    for (int z = 0; z < D / 2; ++z)
        for (int y = 0; y < H / 2; ++y)
            for (int x = 0; x < Wd / 2; ++x) {
                float s = 0.0f;
                for (int k = 0; k < 8; ++k) {
                    const int dz = k >> 2, dy = (k >> 1) & 1, dx = k & 1;
                    const float v = in[(2 * z + dz) * Slice + (2 * y + dy) * Row + 2 * x + dx];
                    s += v * v;
                }
                out[z * HalfSlice + y * HalfRow + x] = std::sqrt(0.125f * s);
            }
}

void slice_peaks(const std::vector<float>& vol, std::vector<float>& peak)
{
    for (int z = 0; z < D; ++z) {
        float best = 0.0f;
#pragma omp simd reduction(max : best)
        for (int i = 0; i < Slice; ++i)
            best = std::max(best, std::fabs(vol[z * Slice + i]));
        peak[z] = best;
    }
}

int main()
{
    std::vector<float> vol(D * Slice), small(D / 2 * HalfSlice), peak(D);
    for (std::size_t i = 0; i < vol.size(); ++i)
        vol[i] = std::sin(0.37f * static_cast<float>(i % 4001));
    pool_rms(vol.data(), small.data());
    slice_peaks(vol, peak);
    std::printf("%g %g\n", small[100], peak[3]);
}
