#include <stdio.h>
#include <stdlib.h>

double ddot4(int n, const double *x, const double *y) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i;
  for (i = 0; i + 3 < n; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  for (; i < n; i++) s0 += x[i] * y[i];
  return s0 + s1 + s2 + s3;
}

void axpy(int n, double a, const double *x, double *y) {
  int i;
  int m = n % 4;
  for (i = 0; i < m; i++) y[i] += a * x[i];
  for (i = m; i < n; i += 4) {
    y[i] += a * x[i];
    y[i + 1] += a * x[i + 1];
    y[i + 2] += a * x[i + 2];
    y[i + 3] += a * x[i + 3];
  }
}

int main(void) {
  int n = 1000003;
  double *x = malloc(n * sizeof(double)), *y = malloc(n * sizeof(double));
  axpy(n, 2.0, x, y);
  printf("%g\n", ddot4(n, x, y));
}
