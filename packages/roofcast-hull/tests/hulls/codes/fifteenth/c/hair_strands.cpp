// game hair: follow-the-leader strands, root pinned to the head
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int STRANDS = 10000;
constexpr int JOINTS = 32;
constexpr float DAMP = 0.96f;

struct Vec3 {
    float x, y, z;
};
inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
inline float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

void simulate(std::vector<Vec3> &pos, std::vector<Vec3> &prev, float segment, float drop)
{
    for (int s = 0; s < STRANDS; ++s) {
        Vec3 parent = pos[s * JOINTS];
        for (int j = 1; j < JOINTS; ++j) {
            const int i = s * JOINTS + j;
            const Vec3 old = pos[i];
            Vec3 p = old + (old - prev[i]) * DAMP;
            p.y -= drop;
            const Vec3 d = p - parent;
            p = parent + d * (segment / std::sqrt(dot(d, d)));
            prev[i] = old;
            pos[i] = p;
            parent = p;
        }
    }
}

int main()
{
    std::vector<Vec3> pos(STRANDS * JOINTS), prev(STRANDS * JOINTS);
    for (int s = 0; s < STRANDS; ++s)
        for (int j = 0; j < JOINTS; ++j)
            pos[s * JOINTS + j] = prev[s * JOINTS + j] = {0.01f * s, -0.01f * j, 0.002f * (j % 3)};
    for (int f = 0; f < 3; ++f) simulate(pos, prev, 0.01f, 0.0005f);
    std::printf("%f\n", pos[40].y);
}
