// Vertex lighting for a level: eight point lights, Lambert, no shadows.
#include <cmath>
#include <cstdio>
#include <vector>

struct float3 {
    float x, y, z;
};
inline float3 operator-(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Light {
    float3 at;
    float power;
};

constexpr int kVerts = 150000;
constexpr int kLights = 8;

void bake(const float3* pos, const float3* nrm, const Light* lights, float* lum)
{
    for (int v = 0; v < kVerts; ++v) {
        float sum = 0.05f;
        for (int l = 0; l < kLights; ++l) {
            const float3 d = lights[l].at - pos[v];
            const float d2 = dot(d, d);
            const float c = dot(nrm[v], d) / std::sqrt(d2);
            sum += lights[l].power * std::fmax(c, 0.0f) / d2;
        }
        lum[v] = sum;
    }
}

int main()
{
    std::vector<float3> pos(kVerts), nrm(kVerts);
    std::vector<Light> lights(kLights);
    std::vector<float> lum(kVerts);
    for (int v = 0; v < kVerts; ++v) {
        pos[v] = {0.01f * (v % 400), 0.0f, 0.01f * (v / 400)};
        nrm[v] = {0.0f, 1.0f, 0.0f};
    }
    for (int l = 0; l < kLights; ++l) lights[l] = {{0.5f * l, 2.0f, 0.4f * l}, 1.0f + l};
    bake(pos.data(), nrm.data(), lights.data(), lum.data());
    std::printf("%f %f\n", lum[0], lum[kVerts - 1]);
}
