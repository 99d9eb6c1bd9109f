#include <stddef.h>

#define ORDER 8
#define POINTS 200000

static const double first[ORDER] = {0, 1, 1.5, 5.0 / 3, 1.75, 1.8, 11.0 / 6, 13.0 / 7};
static const double second[ORDER] = {0, 0, 0.5, 2.0 / 3, 0.75, 0.8, 5.0 / 6, 6.0 / 7};

double points[POINTS];
double values[ORDER][POINTS];

/* Legendre polynomials at many points by recurrence. */
void legendre(void)
{
    for (size_t i = 0; i < POINTS; i++) {
        double x = points[i];
        double before = 1.0, now = x;
        values[0][i] = before;
        values[1][i] = now;
        for (int n = 2; n < ORDER; n++) {
            double next = first[n] * x * now - second[n] * before;
            values[n][i] = next;
            before = now;
            now = next;
        }
    }
}
