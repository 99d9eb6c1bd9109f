#include <array>
#include <cstdio>
#include <vector>

template <std::size_t N>
void savgol(const std::array<double, N>& taps, const std::vector<double>& in, std::vector<double>& out)
{
    constexpr std::size_t half = N / 2;
    for (std::size_t i = half; i + half < in.size(); ++i) {
        double sum = 0.0;
        for (std::size_t k = 0; k < N; ++k)
            sum += taps[k] * in[i + k - half];
        out[i] = sum;
    }
}

int main()
{
    const std::array<double, 11> quadratic = {-36.0 / 429, 9.0 / 429, 44.0 / 429, 69.0 / 429, 84.0 / 429, 89.0 / 429,
                                              84.0 / 429, 69.0 / 429, 44.0 / 429, 9.0 / 429, -36.0 / 429};
    std::vector<double> trace(44000), smooth(44000);
    for (std::size_t i = 0; i < trace.size(); ++i)
        trace[i] = (i % 50) * 0.1 + (i % 3) * 0.02;
    savgol(quadratic, trace, smooth);
    std::printf("%.4f\n", smooth[22000]);
}
