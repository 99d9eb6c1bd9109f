// Inverse kinematics for a crowd of hexapods; every leg has a coxa, a femur and a tibia.
#include <cmath>
#include <cstdio>
#include <vector>

struct Foot { float x, y, z; };
struct Joint { float coxa, femur, tibia; };

class Swarm {
  public:
    static constexpr int kLegs = 6 * 10000;
    Swarm() : foot_(kLegs), joint_(kLegs) {
        for (int i = 0; i < kLegs; i++)
            foot_[i] = Foot{8.f + 0.001f * (i % 900), 0.01f * (i % 300), -6.f};
    }

    void solve() {
        for (int i = 0; i < kLegs; i++) {
            const Foot& f = foot_[i];
            float reach = std::sqrt(f.x * f.x + f.y * f.y) - kCoxa;
            float d2 = reach * reach + f.z * f.z;
            float d = std::sqrt(d2);
            joint_[i].coxa = std::atan2(f.y, f.x);
            joint_[i].femur = std::atan2(f.z, reach) +
                std::acos((kFemur * kFemur + d2 - kTibia * kTibia) / (2.f * kFemur * d));
            joint_[i].tibia = std::acos((kFemur * kFemur + kTibia * kTibia - d2) / (2.f * kFemur * kTibia));
        }
    }

    void sway(float dx, float dz) {
        for (Foot& f : foot_) {
            f.x += dx;
            f.z += dz;
        }
    }

    const Joint& joint(int i) const { return joint_[i]; }

  private:
    static constexpr float kCoxa = 2.f, kFemur = 6.f, kTibia = 9.f;
    std::vector<Foot> foot_;
    std::vector<Joint> joint_;
};

int main() {
    Swarm s;
    s.sway(0.25f, 0.1f);
    s.solve();
    std::printf("%f %f\n", s.joint(7).femur, s.joint(7).tibia);
}
