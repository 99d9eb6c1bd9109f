// Character skinning: four bones for each vertex, then the box that holds the result.
#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Float3 {
    float x, y, z;
};

struct Bone {  // rows of a 3x4 matrix
    float m[3][4];
};

struct Influence {
    int bone[4];
    float weight[4];
};

struct Box {
    float lo[3], hi[3];
};

static Float3 transform(const Bone &b, const Float3 &p)
{
    return {b.m[0][0] * p.x + b.m[0][1] * p.y + b.m[0][2] * p.z + b.m[0][3],
            b.m[1][0] * p.x + b.m[1][1] * p.y + b.m[1][2] * p.z + b.m[1][3],
            b.m[2][0] * p.x + b.m[2][1] * p.y + b.m[2][2] * p.z + b.m[2][3]};
}

void skin(const std::vector<Float3> &rest, const std::vector<Influence> &inf, const std::vector<Bone> &pose,
          std::vector<Float3> &posed)
{
    const int n = static_cast<int>(rest.size());
#pragma omp parallel for schedule(static)
    for (int v = 0; v < n; ++v) {
        Float3 sum{0.0f, 0.0f, 0.0f};
        for (int k = 0; k < 4; ++k) {
            const Float3 t = transform(pose[inf[v].bone[k]], rest[v]);
            const float w = inf[v].weight[k];
            sum.x += w * t.x;
            sum.y += w * t.y;
            sum.z += w * t.z;
        }
        posed[v] = sum;
    }
}

void bounds(const std::vector<Float3> &p, Box &box)
{
    float x0 = FLT_MAX, y0 = FLT_MAX, z0 = FLT_MAX;
    float x1 = -FLT_MAX, y1 = -FLT_MAX, z1 = -FLT_MAX;
    for (const Float3 &q : p) {
        x0 = std::min(x0, q.x);
        y0 = std::min(y0, q.y);
        z0 = std::min(z0, q.z);
        x1 = std::max(x1, q.x);
        y1 = std::max(y1, q.y);
        z1 = std::max(z1, q.z);
    }
    box = {{x0, y0, z0}, {x1, y1, z1}};
}

int main()
{
    constexpr int NV = 60000, NB = 72;
    std::vector<Float3> rest(NV), posed(NV);
    std::vector<Influence> inf(NV);
    std::vector<Bone> pose(NB);
    for (int v = 0; v < NV; ++v) {
        rest[v] = {v * 0.001f, (v % 91) * 0.01f, (v % 17) * 0.02f};
        for (int k = 0; k < 4; ++k) {
            inf[v].bone[k] = std::rand() % NB;
            inf[v].weight[k] = 0.25f;
        }
    }
    for (int b = 0; b < NB; ++b)
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 4; ++c)
                pose[b].m[r][c] = r == c ? 1.0f : 0.01f * b;
    Box box;
    skin(rest, inf, pose, posed);
    bounds(posed, box);
    std::printf("%g %g\n", box.lo[0], box.hi[2]);
}
