// two-point Dixon: water and fat magnitude from in-phase and opposed-phase images, and the fat fraction in per cent
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>

struct Complex { float re, im; };

constexpr int NX = 256, NY = 256, NZ = 40;
constexpr int VOXELS = NX * NY * NZ;

static inline float magnitude(float re, float im) { return std::sqrt(re * re + im * im); }

void separate(const Complex *in, const Complex *opp, float *water, float *fat)
{
    for (int v = 0; v < VOXELS; ++v) {
        water[v] = 0.5f * magnitude(in[v].re + opp[v].re, in[v].im + opp[v].im);
        fat[v] = 0.5f * magnitude(in[v].re - opp[v].re, in[v].im - opp[v].im);
    }
}

void fat_fraction(const float *water, const float *fat, uint8_t *pct, float noise)
{
    for (int v = 0; v < VOXELS; ++v) {
        const float total = water[v] + fat[v];
        pct[v] = total > noise ? static_cast<uint8_t>(100.0f * fat[v] / total) : 0;
    }
}

int main()
{
    std::unique_ptr<Complex[]> in(new Complex[VOXELS]), opp(new Complex[VOXELS]);
    std::unique_ptr<float[]> water(new float[VOXELS]), fat(new float[VOXELS]);
    std::unique_ptr<uint8_t[]> pct(new uint8_t[VOXELS]);
    for (int v = 0; v < VOXELS; ++v) {
        in[v] = {1.0f + v % 7, 0.1f * (v % 5)};
        opp[v] = {0.5f + v % 3, 0.05f * (v % 9)};
    }
    separate(in.get(), opp.get(), water.get(), fat.get());
    fat_fraction(water.get(), fat.get(), pct.get(), 0.2f);
    std::printf("%f %f %d\n", water[5], fat[5], pct[5]);
}
