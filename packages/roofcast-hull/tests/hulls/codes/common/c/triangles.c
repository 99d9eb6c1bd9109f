#include <stdio.h>
#include <stdlib.h>
#include <math.h>
void areas(int nt, int tri[][3], double v[][2], double *area) {
  for (int t = 0; t < nt; t++) {
    int a = tri[t][0], b = tri[t][1], c = tri[t][2];
    double x1 = v[b][0] - v[a][0], y1 = v[b][1] - v[a][1];
    double x2 = v[c][0] - v[a][0], y2 = v[c][1] - v[a][1];
    area[t] = 0.5 * fabs(x1 * y2 - x2 * y1);
  }
}
int main(void) {
  int nt = 40000, nv = 20301;
  int (*tri)[3] = malloc(nt * sizeof *tri);
  double (*v)[2] = malloc(nv * sizeof *v);
  double *area = malloc(nt * sizeof(double));
  areas(nt, tri, v, area);
  printf("%f\n", area[0]);
}
