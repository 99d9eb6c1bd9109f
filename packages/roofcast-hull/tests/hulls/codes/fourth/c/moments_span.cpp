#include <cstdio>
#include <span>
#include <vector>

struct Moments {
    double first;
    double second;
};

Moments raw_moments(std::span<const float> sample)
{
    Moments m{0.0, 0.0};
    for (float v : sample) {
        const double d = v;
        m.first += d;
        m.second += d * d;
    }
    return m;
}

int main()
{
    std::vector<float> sample(812500);
    for (std::size_t i = 0; i < sample.size(); ++i)
        sample[i] = 0.25f * static_cast<float>(i % 19);
    const Moments m = raw_moments(sample);
    std::printf("mean %.5f second %.5f\n", m.first / sample.size(), m.second / sample.size());
    return 0;
}
