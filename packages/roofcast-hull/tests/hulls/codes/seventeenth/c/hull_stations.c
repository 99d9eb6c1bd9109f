/* Sections of a ship's hull and her righting levers. */
#include <math.h>
#include <stdio.h>

#define STATIONS 201
#define WATERLINES 401
#define CASES 300
#define HEELS 90
#define DZ 0.05

static double half_breadth[STATIONS][WATERLINES], section[STATIONS];
static double kn[CASES][HEELS], kg[CASES], heel[HEELS], gz[CASES][HEELS], stored[CASES];

static double multiplier(int k, int last)
{
    return (k == 0 || k == last) ? 1.0 : (k & 1) ? 4.0 : 2.0;
}

static double simpson(const double *f, int n)
{
    double s = 0.0;
    for (int k = 0; k < n; ++k)
        s += multiplier(k, n - 1) * f[k];
    return s;
}

static void section_areas(void)
{
    for (int s = 0; s < STATIONS; ++s)
        section[s] = simpson(half_breadth[s], WATERLINES) * (2.0 * DZ / 3.0);
}

static void levers(void)
{
    for (int c = 0; c < CASES; ++c)
        for (int a = 0; a < HEELS; ++a)
            gz[c][a] = kn[c][a] - kg[c] * sin(heel[a]);
}

static void energy_stored(void)
{
    for (int c = CASES - 1; c >= 0; --c) {
        double area = 0.0;
        for (int a = HEELS - 1; a > 0; --a)
            area += 0.5 * (gz[c][a] + gz[c][a - 1]) * (heel[a] - heel[a - 1]);
        stored[c] = area;
    }
}

int main(void)
{
    for (int s = 0; s < STATIONS; ++s)
        for (int k = 0; k < WATERLINES; ++k)
            half_breadth[s][k] = 9.0 * sin(3.14159 * s / (STATIONS - 1.0)) * sqrt(k / (WATERLINES - 1.0));
    for (int a = 0; a < HEELS; ++a)
        heel[a] = a * 0.0174533;
    for (int c = 0; c < CASES; ++c) {
        kg[c] = 7.0 + 0.01 * c;
        for (int a = 0; a < HEELS; ++a)
            kn[c][a] = 9.5 * sin(heel[a]) + 0.001 * c;
    }
    section_areas();
    levers();
    energy_stored();
    printf("%g %g %g\n", section[STATIONS / 2], gz[3][40], stored[7]);
    return 0;
}
