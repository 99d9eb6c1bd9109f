// Maps of crystal orientation: mean misorientation to the four neighbours, share of deformed points.
#include <array>
#include <cmath>
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

struct Quat { float w, x, y, z; };

static inline float dot(const Quat& a, const Quat& b)
{
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
class Map {
    int rows_, cols_;
    std::vector<T> at_;
public:
    Map(int r, int c) : rows_(r), cols_(c), at_(static_cast<std::size_t>(r) * c) {}
    T& operator()(int r, int c) { return at_[static_cast<std::size_t>(r) * cols_ + c]; }
    const T& operator()(int r, int c) const { return at_[static_cast<std::size_t>(r) * cols_ + c]; }
    int rows() const { return rows_; }
    int cols() const { return cols_; }
};

void kernel_misorientation(const Map<Quat>& q, Map<float>& kam)
{
    static constexpr std::array<std::pair<int, int>, 4> next{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
    for (int r = 1; r < q.rows() - 1; ++r)
        for (int c = 1; c < q.cols() - 1; ++c) {
            float sum = 0.0f;
            for (const auto& [dr, dc] : next) {
                const float cosine = std::min(1.0f, std::fabs(dot(q(r, c), q(r + dr, c + dc))));
                sum += 2.0f * std::acos(cosine);
            }
            kam(r, c) = 0.25f * sum;
        }
}

int deformed(const Map<float>& kam, float limit)
{
    int count = 0;
    for (int r = 0; r < kam.rows(); ++r)
        for (int c = 0; c < kam.cols(); ++c)
            if (kam(r, c) > limit)
                ++count;
    return count;
}

int main()
{
    Map<Quat> q(400, 500);
    Map<float> kam(400, 500);
    for (int r = 0; r < 400; ++r)
        for (int c = 0; c < 500; ++c) {
            const float a = 0.001f * ((r * 7 + c * 3) % 50);
            q(r, c) = {std::cos(a), std::sin(a), 0.0f, 0.0f};
        }
    kernel_misorientation(q, kam);
    std::printf("%g %d\n", kam(20, 30), deformed(kam, 0.03f));
}
