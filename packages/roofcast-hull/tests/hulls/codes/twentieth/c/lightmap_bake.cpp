// Offline bake of point lights into a level's lightmap, no shadows.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

struct V3 {
    float x, y, z;
};
static inline V3 operator-(const V3& a, const V3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline float dot(const V3& a, const V3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Lamp {
    V3 at;
    float power;
};

static const int kTexels = 256 * 256;
static const int kLamps = 48;

void bake(const V3* pos, const V3* nrm, const Lamp* lamps, float* lit)
{
    #pragma omp parallel for schedule(static)
    for (int t = 0; t < kTexels; ++t) {
        float sum = 0.f;
        for (int l = 0; l < kLamps; ++l) {
            V3 d = lamps[l].at - pos[t];
            float r2 = dot(d, d);
            float c = dot(d, nrm[t]);
            sum += lamps[l].power * std::max(c, 0.f) / (r2 * std::sqrt(r2));
        }
        lit[t] = sum;
    }
}

void encode(const float* lit, unsigned char* out)
{
    for (int t = 0; t < kTexels; ++t) {
        float v = std::sqrt(lit[t]) * 255.f + 0.5f;
        out[t] = (unsigned char)std::min(v, 255.f);
    }
}

int main()
{
    auto pos = std::make_unique<V3[]>(kTexels);
    auto nrm = std::make_unique<V3[]>(kTexels);
    auto lit = std::make_unique<float[]>(kTexels);
    auto out = std::make_unique<unsigned char[]>(kTexels);
    Lamp lamps[kLamps];
    for (int l = 0; l < kLamps; ++l) lamps[l] = {{l * 0.7f, 3.f, l * 0.3f}, 1.f + l % 3};
    for (int t = 0; t < kTexels; ++t) {
        pos[t] = {(t & 255) * 0.1f, 0.f, (t >> 8) * 0.1f};
        nrm[t] = {0.f, 1.f, 0.f};
    }
    bake(pos.get(), nrm.get(), lamps, lit.get());
    encode(lit.get(), out.get());
    std::printf("%d %d\n", out[0], out[kTexels / 2]);
}
