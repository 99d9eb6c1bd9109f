#include <math.h>
#define LEN (1 << 20)

float sdot(const float *x, const float *y)
{
    float s = 0.f;
    for (int i = 0; i < LEN; i++) s += x[i] * y[i];
    return s;
}

double dasum(const double *x)
{
    double s = 0;
    int n = LEN;
    while (n-- > 0) s += fabs(*x++);
    return s;
}

double dnrm2(const double *x)
{
    double s = 0.0;
#pragma omp simd reduction(+ : s)
    for (int i = 0; i < LEN; ++i) s += x[i] * x[i];
    return sqrt(s);
}

int isamax(const float *x)
{
    int at = 0;
    float top = fabsf(x[0]);
    for (int i = 1; i < LEN; i++) {
        float v = fabsf(x[i]);
        if (v > top) {
            top = v;
            at = i;
        }
    }
    return at;
}

void drot(double *x, double *y, double c, double s)
{
    for (int i = 0; i < LEN; i++) {
        double t = c * x[i] + s * y[i];
        y[i] = c * y[i] - s * x[i];
        x[i] = t;
    }
}
