#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kPoints = 50000;
constexpr int kRows = 181, kCols = 361;
constexpr double kE = 0.0818191908426;
constexpr double kScale = 0.9996 * 6367449.14577;
constexpr std::array<double, 3> kAlpha = {8.3773e-4, 7.6085e-7, 1.1976e-9};

// Transverse Mercator by Krueger's series to the third order
void project(const double* lat, const double* lon, double lon0, double* east, double* north) {
    for (int i = 0; i < kPoints; ++i) {
        const double s = std::sin(lat[i]);
        const double t = std::sinh(std::atanh(s) - kE * std::atanh(kE * s));
        const double dl = lon[i] - lon0;
        const double c = std::cos(dl);
        const double xi = std::atan2(t, c);
        const double eta = std::asinh(std::sin(dl) / std::sqrt(t * t + c * c));
        double x = xi, y = eta;
        for (int j = 0; j < 3; ++j) {
            const double u = 2 * (j + 1) * xi, v = 2 * (j + 1) * eta;
            x += kAlpha[j] * std::sin(u) * std::cosh(v);
            y += kAlpha[j] * std::cos(u) * std::sinh(v);
        }
        east[i] = 500000.0 + kScale * y;
        north[i] = kScale * x;
    }
}

// height over the geoid: bilinear in a grid of one degree
void orthometric(const double* lat_deg, const double* lon_deg, const double* ellipsoidal,
                 const std::vector<float>& geoid, double* height) {
    for (int i = 0; i < kPoints; ++i) {
        const double u = lat_deg[i] + 90.0;
        const double v = lon_deg[i] + 180.0;
        const int r = static_cast<int>(u), c = static_cast<int>(v);
        const double a = u - r, b = v - c;
        const float* g = geoid.data() + r * kCols + c;
        const double south = g[0] + b * (g[1] - g[0]);
        const double north = g[kCols] + b * (g[kCols + 1] - g[kCols]);
        height[i] = ellipsoidal[i] - (south + a * (north - south));
    }
}

int main() {
    std::vector<double> lat(kPoints), lon(kPoints), latd(kPoints), lond(kPoints), h(kPoints);
    std::vector<double> east(kPoints), north(kPoints), out(kPoints);
    std::vector<float> geoid(kRows * kCols);
    for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < kCols; ++c) geoid[r * kCols + c] = 30.f * std::sin(0.05f * r) * std::cos(0.03f * c);
    for (int i = 0; i < kPoints; ++i) {
        latd[i] = -80.0 + 0.0031 * i;
        lond[i] = 6.0 + (i % 600) * 0.01;
        lat[i] = latd[i] * 0.017453292519943295;
        lon[i] = lond[i] * 0.017453292519943295;
        h[i] = 100.0 + i % 900;
    }
    project(lat.data(), lon.data(), 9.0 * 0.017453292519943295, east.data(), north.data());
    orthometric(latd.data(), lond.data(), h.data(), geoid, out.data());
    std::printf("%.3f %.3f %.3f\n", east[30000], north[30000], out[30000]);
}
