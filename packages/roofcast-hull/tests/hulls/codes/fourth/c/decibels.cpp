#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

static constexpr std::size_t kFrames = 300;
static constexpr std::size_t kBins = 1025;

void to_decibels(const std::vector<float>& power, std::vector<float>& level, float floor_db)
{
    std::transform(power.begin(), power.end(), level.begin(),
                   [floor_db](float p) { return std::max(10.0f * std::log10(p), floor_db); });
}

int main()
{
    std::vector<float> power(kFrames * kBins), level(kFrames * kBins);
    for (std::size_t i = 0; i < power.size(); i++)
        power[i] = 1e-9f + 1e-4f * static_cast<float>(i % 1000);
    to_decibels(power, level, -80.0f);
    std::cout << level.front() << ' ' << level.back() << '\n';
    return 0;
}
