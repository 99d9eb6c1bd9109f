#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

struct Vec3 { double x, y, z; };

static const int SATS = 64;
static const int EPOCHS = 1440;

// inertial to earth-fixed: one turn about the pole for each epoch
void to_earth_fixed(const Vec3* eci, const double* gmst, Vec3* ecef) {
    for (int s = 0; s < SATS; s++) {
        for (int e = 0; e < EPOCHS; e++) {
            const double c = std::cos(gmst[e]);
            const double n = std::sin(gmst[e]);
            const Vec3 p = eci[s * EPOCHS + e];
            Vec3 q;
            q.x = c * p.x + n * p.y;
            q.y = c * p.y - n * p.x;
            q.z = p.z;
            ecef[s * EPOCHS + e] = q;
        }
    }
}

void look_angles(const Vec3* ecef, Vec3 station, Vec3 up, double* elevation, double* range) {
    for (int i = 0; i < SATS * EPOCHS; i++) {
        const double dx = ecef[i].x - station.x;
        const double dy = ecef[i].y - station.y;
        const double dz = ecef[i].z - station.z;
        const double r = std::sqrt(dx * dx + dy * dy + dz * dz);
        elevation[i] = std::asin((up.x * dx + up.y * dy + up.z * dz) / r);
        range[i] = r;
    }
}

void minutes_visible(const double* elevation, double mask, int* minutes) {
    for (int s = 0; s < SATS; s++) {
        const double* row = elevation + s * EPOCHS;
        int n = 0;
        for (int e = 0; e < EPOCHS; e++)
            n += row[e] > mask ? 1 : 0;
        minutes[s] = n;
    }
}

int main() {
    std::vector<Vec3> eci(SATS * EPOCHS), ecef(SATS * EPOCHS);
    std::vector<double> gmst(EPOCHS), el(SATS * EPOCHS), range(SATS * EPOCHS);
    std::vector<int> minutes(SATS);
    for (int e = 0; e < EPOCHS; e++) gmst[e] = 0.00437527 * e;
    for (int s = 0; s < SATS; s++)
        for (int e = 0; e < EPOCHS; e++) {
            const double u = 0.1 * s + 0.065 * e;
            eci[s * EPOCHS + e] = {7000 * std::cos(u), 5000 * std::sin(u), 4900 * std::sin(u)};
        }
    to_earth_fixed(eci.data(), gmst.data(), ecef.data());
    look_angles(ecef.data(), {4200, 700, 4700}, {0.66, 0.11, 0.74}, el.data(), range.data());
    minutes_visible(el.data(), 0.17, minutes.data());
    std::printf("%d %d %f\n", minutes[0], minutes[63], range[77]);
}
