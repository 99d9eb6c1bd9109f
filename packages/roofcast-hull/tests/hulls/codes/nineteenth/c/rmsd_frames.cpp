#include <cmath>
#include <cstdio>
#include <vector>

struct Vec3f { float x, y, z; };
inline Vec3f operator-(const Vec3f& a, const Vec3f& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline float norm2(const Vec3f& a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

constexpr int FRAMES = 200, ATOMS = 3000;

void rmsd(const std::vector<Vec3f>& traj, const std::vector<Vec3f>& ref, std::vector<float>& out)
{
#pragma omp parallel for
    for (int f = 0; f < FRAMES; ++f) {
        float s = 0;
        for (int a = 0; a < ATOMS; ++a)
            s += norm2(traj[f * ATOMS + a] - ref[a]);
        out[f] = std::sqrt(s / ATOMS);
    }
}

// mean position of each atom, for the fluctuations
void average(const std::vector<Vec3f>& traj, std::vector<Vec3f>& mean)
{
    for (int a = 0; a < ATOMS; ++a) {
        float x = 0, y = 0, z = 0;
        for (int f = 0; f < FRAMES; ++f) {
            const Vec3f& r = traj[f * ATOMS + a];
            x += r.x;
            y += r.y;
            z += r.z;
        }
        mean[a] = {x / FRAMES, y / FRAMES, z / FRAMES};
    }
}

int main()
{
    std::vector<Vec3f> traj(FRAMES * ATOMS), ref(ATOMS), mean(ATOMS);
    for (int i = 0; i < FRAMES * ATOMS; ++i)
        traj[i] = {i % ATOMS + 0.1f * (i % 3), 0.2f * (i % 5), 0.f};
    for (int a = 0; a < ATOMS; ++a) ref[a] = {float(a), 0.f, 0.f};
    std::vector<float> out(FRAMES);
    rmsd(traj, ref, out);
    average(traj, mean);
    std::printf("%f %f\n", out[3], mean[7].y);
}
