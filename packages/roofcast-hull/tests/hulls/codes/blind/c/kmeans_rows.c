#include <float.h>
#define POINTS 100000
#define DIMS 16
#define CLUSTERS 10

void nearest(float (*p)[DIMS], float (*c)[DIMS], int *label)
{
    int i, k, d;
#pragma omp parallel for private(k, d)
    for (i = 0; i < POINTS; i++) {
        float best = FLT_MAX;
        int which = 0;
        for (k = 0; k < CLUSTERS; k++) {
            float s = 0.0f;
            for (d = 0; d < DIMS; d++)
                s += (p[i][d] - c[k][d]) * (p[i][d] - c[k][d]);
            if (s < best) {
                best = s;
                which = k;
            }
        }
        label[i] = which;
    }
}
