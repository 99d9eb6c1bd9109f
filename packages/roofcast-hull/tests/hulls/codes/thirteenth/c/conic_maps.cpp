// Map projections: points forward, a raster by its inverse.
#include <cmath>
#include <cstdio>
#include <vector>

struct LonLat {
    double lon, lat;
};
struct Map {
    double x, y;
};

constexpr double PI = 3.14159265358979323846;
constexpr int POINTS = 300000;
constexpr int SRC_H = 720, SRC_W = 1440, OUT_H = 600, OUT_W = 1200;

// Lambert's conformal cone on a sphere
void lambert(const std::vector<LonLat> &pts, std::vector<Map> &out, double n, double F, double rho0, double lon0) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double rho = F / std::pow(std::tan(PI / 4 + 0.5 * pts[i].lat), n);
        const double theta = n * (pts[i].lon - lon0);
        out[i].x = rho * std::sin(theta);
        out[i].y = rho0 - rho * std::cos(theta);
    }
}

// nearest pixel of a plate carree raster for each pixel of a sinusoidal map
void sinusoidal(const std::vector<float> &src, std::vector<float> &dst) {
    for (int r = 0; r < OUT_H; ++r) {
        const double lat = PI * (0.5 - (r + 0.5) / OUT_H);
        const double cosl = std::cos(lat);
        for (int c = 0; c < OUT_W; ++c) {
            const double lon = 2.0 * PI * ((c + 0.5) / OUT_W - 0.5) / cosl;
            if (std::fabs(lon) >= PI) {
                dst[r * OUT_W + c] = -9999.0f;
                continue;
            }
            const int sr = static_cast<int>((0.5 - lat / PI) * SRC_H);
            const int sc = static_cast<int>((0.5 + lon / (2.0 * PI)) * SRC_W);
            dst[r * OUT_W + c] = src[sr * SRC_W + sc];
        }
    }
}

int main() {
    std::vector<LonLat> pts(POINTS);
    std::vector<Map> out(POINTS);
    for (int i = 0; i < POINTS; ++i) pts[i] = {1e-5 * (i % 50000), 0.4 + 1e-6 * i};
    lambert(pts, out, 0.63, 1.9, 1.4, 0.1);
    std::vector<float> src(SRC_H * SRC_W), dst(OUT_H * OUT_W);
    for (int i = 0; i < SRC_H * SRC_W; ++i) src[i] = 0.5f * (i % 1440);
    sinusoidal(src, dst);
    std::printf("%g %g %g\n", out[5].x, out[5].y, dst[300 * OUT_W + 500]);
}
