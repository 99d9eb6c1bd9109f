// Bicubic patches of a body in CAD: points on a grid, and boxes around control nets.
#include <algorithm>
#include <cstdio>
#include <vector>

struct Vec3 {
    float x, y, z;
};
inline Vec3 operator*(float s, const Vec3& v) { return {s * v.x, s * v.y, s * v.z}; }
inline Vec3& operator+=(Vec3& a, const Vec3& b) {
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
    return a;
}

constexpr int kPatches = 96;
constexpr int kSteps = 24;

constexpr float bernstein(int i, float t) {
    const float s = 1.0f - t;
    return i == 0 ? s * s * s : i == 1 ? 3.0f * t * s * s : i == 2 ? 3.0f * t * t * s : t * t * t;
}

struct Box {
    Vec3 lo, hi;
};

static float basis[kSteps][4];

void points(const std::vector<Vec3>& net, std::vector<Vec3>& surface) {
    for (int p = 0; p < kPatches; ++p)
        for (int u = 0; u < kSteps; ++u)
            for (int v = 0; v < kSteps; ++v) {
                Vec3 q{0.0f, 0.0f, 0.0f};
                for (int i = 0; i < 4; ++i)
                    for (int j = 0; j < 4; ++j)
                        q += basis[u][i] * basis[v][j] * net[p * 16 + i * 4 + j];
                surface[(p * kSteps + u) * kSteps + v] = q;
            }
}

void boxes(const std::vector<Vec3>& net, std::vector<Box>& box) {
    for (int p = 0; p < kPatches; ++p) {
        const Vec3* c = &net[16 * p];
        Vec3 lo = c[0], hi = c[0];
        for (int k = 1; k < 16; ++k) {
            lo.x = std::min(lo.x, c[k].x);
            lo.y = std::min(lo.y, c[k].y);
            lo.z = std::min(lo.z, c[k].z);
            hi.x = std::max(hi.x, c[k].x);
            hi.y = std::max(hi.y, c[k].y);
            hi.z = std::max(hi.z, c[k].z);
        }
        box[p] = Box{lo, hi};
    }
}

int main() {
    std::vector<Vec3> net(kPatches * 16), surface(kPatches * kSteps * kSteps);
    std::vector<Box> box(kPatches);
    for (int k = 0; k < kSteps; ++k)
        for (int i = 0; i < 4; ++i)
            basis[k][i] = bernstein(i, k / (kSteps - 1.0f));
    for (int n = 0; n < kPatches * 16; ++n)
        net[n] = {0.1f * (n % 4), 0.1f * (n / 4 % 4), 0.01f * (n * 17 % 23)};
    points(net, surface);
    boxes(net, box);
    std::printf("%g %g %g\n", surface[1000].x, surface[1000].z, box[5].hi.z);
}
