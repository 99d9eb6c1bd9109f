#include <math.h>
#define A 1000
#define B 800
#define D 16

void distances(const double x[A][D], const double y[B][D], double out[A][B])
{
    for (int i = 0; i < A; i++)
        for (int j = 0; j < B; j++) {
            double s = 0;
            for (int d = 0; d < D; d++) {
                double t = x[i][d] - y[j][d];
                s += t * t;
            }
            out[i][j] = sqrt(s);
        }
}
