#include <cmath>
#include <cstdio>
#include <vector>

struct Quat {
    float w, x, y, z;
};

// attitudes drift off the unit sphere while they are integrated; this puts them back
void renormalise(std::vector<Quat>& attitudes)
{
    for (Quat& q : attitudes) {
        const float s = 1.0f / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        q.w *= s;
        q.x *= s;
        q.y *= s;
        q.z *= s;
    }
}

int main()
{
    std::vector<Quat> attitudes(125000);
    for (std::size_t i = 0; i < attitudes.size(); ++i)
        attitudes[i] = Quat{1.0f, 0.001f * (i % 100), 0.5f, -0.25f};
    renormalise(attitudes);
    std::printf("%f\n", attitudes.back().w);
}
