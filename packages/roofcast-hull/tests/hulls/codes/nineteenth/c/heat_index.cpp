#include <array>
#include <cstdio>
#include <vector>

constexpr int kStations = 250;
constexpr int kHours = 8760;

// Rothfusz regression, temperatures in Celsius outside and Fahrenheit inside
void heat_index(const std::vector<float>& temp, const std::vector<float>& rh, std::vector<float>& hi)
{
    for (std::size_t i = 0; i < temp.size(); ++i) {
        const float T = temp[i] * 1.8f + 32.f;
        const float R = rh[i];
        const float full = -42.379f + 2.04901523f * T + 10.14333127f * R - .22475541f * T * R
            - .00683783f * T * T - .05481717f * R * R + .00122874f * T * T * R
            + .00085282f * T * R * R - .00000199f * T * T * R * R;
        const float f = T < 80.f ? T : full;
        hi[i] = (f - 32.f) / 1.8f;
    }
}

void hours_of_risk(const std::vector<float>& hi, std::array<int, 5>& hours)
{
    for (float h : hi) {
        int level = (h > 27.f) + (h > 32.f) + (h > 41.f) + (h > 54.f);
        ++hours[level];
    }
}

void yearly_peak(const float* hi, float* peak)
{
    for (int s = 0; s < kStations; ++s) {
        float p = -99.f;
        for (int h = 0; h < kHours; ++h)
            p = hi[s * kHours + h] > p ? hi[s * kHours + h] : p;
        peak[s] = p;
    }
}

int main()
{
    std::vector<float> t(kStations * kHours, 31.f), r(kStations * kHours, 60.f), hi(kStations * kHours), peak(kStations);
    std::array<int, 5> hours{};
    heat_index(t, r, hi);
    hours_of_risk(hi, hours);
    yearly_peak(hi.data(), peak.data());
    std::printf("%f %d\n", peak[0], hours[2]);
}
