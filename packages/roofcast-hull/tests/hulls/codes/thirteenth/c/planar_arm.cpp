// A planar arm of three links: tips of sampled poses and how far they stay from round obstacles.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>

namespace arm {

constexpr int kLinks = 3;
constexpr int kPoses = 1 << 18;
constexpr int kObstacles = 64;
constexpr float kLength[kLinks] = {0.6f, 0.5f, 0.3f};

struct Pose {
    float q[kLinks];
};
struct Point {
    float x, y;
};
struct Circle {
    float x, y, r;
};

void tips(const Pose *poses, Point *tip) {
    for (int i = 0; i < kPoses; ++i) {
        float heading = 0.0f, x = 0.0f, y = 0.0f;
        for (int j = 0; j < kLinks; ++j) {
            heading += poses[i].q[j];
            x += kLength[j] * std::cos(heading);
            y += kLength[j] * std::sin(heading);
        }
        tip[i] = Point{x, y};
    }
}

void clearance(const Point *tip, const std::array<Circle, kObstacles> &world, float *gap) {
#pragma omp parallel for
    for (int i = 0; i < kPoses; ++i) {
        float nearest = 1e9f;
        for (const Circle &c : world) {
            const float dx = tip[i].x - c.x;
            const float dy = tip[i].y - c.y;
            nearest = std::min(nearest, std::sqrt(dx * dx + dy * dy) - c.r);
        }
        gap[i] = nearest;
    }
}

}  // namespace arm

int main() {
    using namespace arm;
    auto poses = std::make_unique<Pose[]>(kPoses);
    auto tip = std::make_unique<Point[]>(kPoses);
    auto gap = std::make_unique<float[]>(kPoses);
    std::array<Circle, kObstacles> world;
    for (int i = 0; i < kPoses; ++i)
        poses[i] = Pose{{0.00002f * i, 0.3f - 0.00001f * i, 0.1f}};
    for (int o = 0; o < kObstacles; ++o)
        world[o] = Circle{std::cos(0.1f * o), std::sin(0.1f * o), 0.02f + 0.001f * o};
    tips(poses.get(), tip.get());
    clearance(tip.get(), world, gap.get());
    std::printf("%g %g\n", tip[1000].x, gap[1000]);
}
