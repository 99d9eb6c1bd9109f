#include <stdio.h>
#include <stdlib.h>

void scale_lines(double *v, int n, double by)
{
    for (int i = 0; i < n; i++)
        v[i] *= by;
}

int main(void)
{
    int n;
    if (scanf("%d", &n) != 1 || n < 1)
        return 1;
    double *v = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        if (scanf("%lf", &v[i]) != 1)
            return 1;
    scale_lines(v, n, 2.54);
    for (int i = 0; i < n; i++)
        printf("%g\n", v[i]);
    free(v);
    return 0;
}
