/* Tilt of many inertial sensors: rest offset of the gyros, then a complementary filter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SENSORS = 256, TICKS = 1000, REST = 200 };

#define IX(s, t) ((size_t)(s) * TICKS + (t))

static void rest_offset(const float *gyro, float *bias)
{
    for (int s = 0; s < SENSORS; ++s) {
        const float *g = gyro + IX(s, 0);
        float sum = 0.f;
        for (int t = 0; t < REST; ++t)
            sum += g[t];
        bias[s] = sum / REST;
    }
}

static void tilt(const float *ay, const float *az, const float *gyro, const float *bias, float *angle)
{
    const float keep = 0.98f, trust = 1.f - keep, dt = 0.01f;
    int s;
#pragma omp parallel for private(s)
    for (s = 0; s < SENSORS; ++s) {
        float a = 0.f;
        const float b = bias[s];
        for (int t = 0; t < TICKS; ++t) {
            const float seen = atan2f(ay[IX(s, t)], az[IX(s, t)]);
            a = keep * (a + (gyro[IX(s, t)] - b) * dt) + trust * seen;
            angle[IX(s, t)] = a;
        }
    }
}

int main(void)
{
    const size_t n = (size_t)SENSORS * TICKS;
    float *ay = malloc(n * sizeof *ay), *az = malloc(n * sizeof *az);
    float *g = malloc(n * sizeof *g), *ang = malloc(n * sizeof *ang);
    float bias[SENSORS];
    for (size_t i = 0; i < n; ++i) {
        ay[i] = sinf(0.001f * (float)(i % 5000));
        az[i] = cosf(0.001f * (float)(i % 5000));
        g[i] = 0.1f + 0.001f * (float)(i % 9);
    }
    rest_offset(g, bias);
    tilt(ay, az, g, bias, ang);
    printf("%g %g\n", bias[3], ang[IX(3, 999)]);
    free(ay); free(az); free(g); free(ang);
    return 0;
}
