#include <stdio.h>
#include <stdlib.h>

#define TRIPS 250000

/* odometer after each trip */
void cumulate(const double *km, double *reading, double start)
{
    reading[0] = start + km[0];
    for (int i = 1; i < TRIPS; i++)
        reading[i] = reading[i - 1] + km[i];
}

void shell_sort(double *v)
{
    static const int gaps[] = {46337, 19001, 8929, 3905, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (unsigned g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        int gap = gaps[g];
        for (int i = gap; i < TRIPS; i++) {
            double x = v[i];
            int j = i;
            while (j >= gap && v[j - gap] > x) {
                v[j] = v[j - gap];
                j -= gap;
            }
            v[j] = x;
        }
    }
}

int main(void)
{
    double *km = malloc(TRIPS * sizeof *km), *r = malloc(TRIPS * sizeof *r);
    for (int i = 0; i < TRIPS; i++)
        km[i] = rand() % 9000 / 100.0;
    cumulate(km, r, 120.5);
    shell_sort(km);
    printf("%f median %f\n", r[TRIPS - 1], km[TRIPS / 2]);
    free(km);
    free(r);
    return 0;
}
