#include <math.h>
#define N 2048

struct system {
    float x[N], y[N], z[N], m[N];
    float ax[N], ay[N], az[N];
};

void accelerations(struct system *s)
{
    for (int i = 0; i < N; i++) {
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < N; j++) {
            float dx = s->x[j] - s->x[i];
            float dy = s->y[j] - s->y[i];
            float dz = s->z[j] - s->z[i];
            float r2 = dx * dx + dy * dy + dz * dz + 1e-6f;
            float inv = 1.0f / sqrtf(r2);
            float w = s->m[j] * inv * inv * inv;
            ax += w * dx;
            ay += w * dy;
            az += w * dz;
        }
        s->ax[i] = ax;
        s->ay[i] = ay;
        s->az[i] = az;
    }
}
