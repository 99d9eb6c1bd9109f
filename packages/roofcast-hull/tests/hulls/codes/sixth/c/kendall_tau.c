/* Kendall's rank correlation (tau-a) by the direct O(n^2) count of pairs.
 * Checked: compiles; tau of x with itself is 1; pairs counted with a Python loop. */
#include <math.h>
#include <stdio.h>

#define SAMPLES 1800

double kendall(const double *x, const double *y, int n)
{
    long s = 0;
    int i, j;
    for (i = 0; i < n - 1; i++) {
        for (j = i + 1; j < n; j++) {
            double v = (x[i] - x[j]) * (y[i] - y[j]);
            s += (v > 0.0) - (v < 0.0);
        }
    }
    return 2.0 * s / ((double)n * (n - 1));
}

int main(void)
{
    static double height[SAMPLES], weight[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        height[i] = 170.0 + 12.0 * sin(1.7 * i);
        weight[i] = 0.9 * (height[i] - 100.0) + 6.0 * cos(0.37 * i * i);
    }
    printf("tau(height, weight) = %.5f\n", kendall(height, weight, SAMPLES));
    printf("tau(height, height) = %.5f\n", kendall(height, height, SAMPLES));
    return 0;
}
