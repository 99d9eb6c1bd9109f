/* x1 += A y1, x2 += A' y2. Two operations for each element of A in each of the nests (by hand). */
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 2000
#endif

static void kernel_mvt(int n, double x1[N], double x2[N], double y_1[N], double y_2[N], double A[N][N])
{
  int i, j;

  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      x1[i] = x1[i] + A[i][j] * y_1[j];
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      x2[i] = x2[i] + A[j][i] * y_2[j];
}

int main(void)
{
  double (*A)[N] = malloc(sizeof(double[N][N]));
  double *x1 = malloc(N * sizeof *x1), *x2 = malloc(N * sizeof *x2);
  double *y1 = malloc(N * sizeof *y1), *y2 = malloc(N * sizeof *y2);
  for (int i = 0; i < N; i++) {
    x1[i] = (double)(i % N) / N;
    x2[i] = (double)((i + 1) % N) / N;
    y1[i] = (double)((i + 3) % N) / N;
    y2[i] = (double)((i + 4) % N) / N;
    for (int j = 0; j < N; j++) A[i][j] = (double)(i * j % N) / N;
  }
  kernel_mvt(N, x1, x2, y1, y2, A);
  printf("%g %g\n", x1[N - 1], x2[N - 1]);
  free(A); free(x1); free(x2); free(y1); free(y2);
  return 0;
}
