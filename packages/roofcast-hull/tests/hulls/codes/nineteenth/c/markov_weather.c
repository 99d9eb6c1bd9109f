/* weather types of 300 kinds: where does a year begin to forget its first day? */
#include <stdio.h>
#include <stdlib.h>
#define S 300
#define DAYS 50

static double P[S][S], p0[S], p1[S];

double *propagate(double *p, double *q)
{
    for (int day = 0; day < DAYS; day++) {
        for (int to = 0; to < S; to++) {
            double acc = 0;
            for (int from = 0; from < S; from++)
                acc += p[from] * P[from][to];
            q[to] = acc;
        }
        double *t = p;
        p = q;
        q = t;
    }
    return p;
}

int main(void)
{
    for (int i = 0; i < S; i++) {
        double sum = 0;
        for (int j = 0; j < S; j++)
            sum += P[i][j] = rand() % 100 / (1.0 + abs(i - j));
        for (int j = 0; j < S; j++)
            P[i][j] /= sum;
    }
    p0[0] = 1;
    printf("%g\n", propagate(p0, p1)[150]);
    return 0;
}
