// Trends: a straight line through every series, all at the same times
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Line {
    double slope;
    double intercept;
};

void fit_lines(const std::vector<float>& y, const std::vector<double>& t, std::vector<Line>& lines)
{
    const int samples = t.size();
    const int series = lines.size();
    #pragma omp parallel for
    for (int s = 0; s < series; ++s) {
        double st = 0, sy = 0, stt = 0, sty = 0;
        for (int k = 0; k < samples; ++k) {
            const double v = y[s * samples + k];
            st += t[k];
            sy += v;
            stt += t[k] * t[k];
            sty += t[k] * v;
        }
        Line l;
        l.slope = (samples * sty - st * sy) / (samples * stt - st * st);
        l.intercept = (sy - l.slope * st) / samples;
        lines[s] = l;
    }
}

int main()
{
    const int series = 5000, samples = 365;
    std::vector<double> t(samples);
    std::vector<float> y(series * samples);
    std::vector<Line> lines(series);
    for (int k = 0; k < samples; ++k) t[k] = k / 365.0;
    for (int s = 0; s < series; ++s)
        for (int k = 0; k < samples; ++k) y[s * samples + k] = 0.001f * s * t[k] + 3.0f;
    fit_lines(y, t, lines);
    std::printf("series 1000: %.4f t + %.4f\n", lines[1000].slope, lines[1000].intercept);
    return 0;
}
