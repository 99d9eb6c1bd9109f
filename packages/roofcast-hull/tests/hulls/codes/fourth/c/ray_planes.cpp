#include <cstdio>
#include <limits>
#include <vector>

struct Ray {
    float ox, oy, oz;
    float dx, dy, dz;
};

struct Plane {
    float nx, ny, nz, offset;
};

// how far each ray goes before it leaves the half-spaces
void exit_distance(const std::vector<Ray>& rays, const std::vector<Plane>& planes, std::vector<float>& distance)
{
    for (size_t i = 0; i < rays.size(); ++i) {
        const Ray& r = rays[i];
        float best = std::numeric_limits<float>::max();
        for (size_t p = 0; p < planes.size(); ++p) {
            const Plane& h = planes[p];
            const float t = (h.offset - (h.nx * r.ox + h.ny * r.oy + h.nz * r.oz)) /
                            (h.nx * r.dx + h.ny * r.dy + h.nz * r.dz);
            if (t > 0.0f && t < best)
                best = t;
        }
        distance[i] = best;
    }
}

int main()
{
    std::vector<Ray> rays(150000, Ray{0.1f, 0.2f, 0.3f, 0.5f, 0.5f, 0.7f});
    std::vector<Plane> planes(24, Plane{0.0f, 0.0f, 1.0f, 4.0f});
    std::vector<float> distance(rays.size());
    planes[3] = Plane{1.0f, 0.0f, 0.0f, 2.0f};
    exit_distance(rays, planes, distance);
    std::printf("%f\n", distance[0]);
    return 0;
}
