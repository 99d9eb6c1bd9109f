/* beliefs on a regular random graph: everyone listens to DEG others */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PEOPLE 100000
#define DEG    8

struct mesh {
    int   *peer;      /* PEOPLE x DEG */
    float *trust;     /* PEOPLE x DEG */
};

void hear(const struct mesh *m, const float *now, float *next)
{
#pragma omp parallel for
    for (int i = 0; i < PEOPLE; i++) {
        const int *p = m->peer + (size_t)i * DEG;
        const float *t = m->trust + (size_t)i * DEG;
        float s = 0;
        for (int k = 0; k < DEG; k++)
            s += t[k] * now[p[k]];
        next[i] = 0.5f * now[i] + 0.5f * s;
    }
}

double shift_of_opinion(const float *a, const float *b)
{
    double d = 0;
#pragma omp parallel for reduction(+ : d)
    for (int i = 0; i < PEOPLE; i++)
        d += fabs((double)a[i] - b[i]);
    return d / PEOPLE;
}

int main(void)
{
    struct mesh m = {malloc(sizeof(int) * PEOPLE * DEG), malloc(sizeof(float) * PEOPLE * DEG)};
    float *a = malloc(sizeof(float) * PEOPLE), *b = malloc(sizeof(float) * PEOPLE), *t;
    for (int i = 0; i < PEOPLE * DEG; i++) {
        m.peer[i] = rand() % PEOPLE;
        m.trust[i] = 1.f / DEG;
    }
    for (int i = 0; i < PEOPLE; i++)
        a[i] = i % 7 == 0;
    for (int r = 0; r < 3; r++) {
        hear(&m, a, b);
        t = a; a = b; b = t;
    }
    printf("%f\n", shift_of_opinion(a, b));
    return 0;
}
