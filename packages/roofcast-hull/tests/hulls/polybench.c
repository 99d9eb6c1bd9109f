/* The thirty computations that PolyBench/C 4.2 consists of, written from their mathematical definitions. */
#include <math.h>

#define M 30
#define N 40
#define L 20
#define K 24
#define STEPS 5
#define LARGER(a, b) ((a) >= (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))
typedef double real;

/* ---- products of matrices and vectors ---- */

/* C := alpha A B + beta C */
void gemm(real alpha, real beta, real C[N][M], real A[N][L], real B[L][M]) {
  for (int row = 0; row < N; row++) {
    for (int col = 0; col < M; col++) C[row][col] *= beta;
    for (int mid = 0; mid < L; mid++)
      for (int col = 0; col < M; col++) C[row][col] += alpha * A[row][mid] * B[mid][col];
  }
}

/* D := alpha A B C + beta D */
void k2mm(real alpha, real beta, real T[N][M], real A[N][L], real B[L][M], real C[M][K], real D[N][K]) {
  int i, j, k;
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) {
      T[i][j] = 0.0;
      for (k = 0; k < L; ++k) T[i][j] += alpha * A[i][k] * B[k][j];
    }
  for (i = 0; i < N; i++)
    for (j = 0; j < K; j++) {
      D[i][j] *= beta;
      for (k = 0; k < M; ++k) D[i][j] += T[i][k] * C[k][j];
    }
}

/* G := (A B) (C D) */
void k3mm(real E[N][M], real A[N][L], real B[L][M], real F[M][K], real C[M][L], real D[L][K], real G[N][K]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      E[i][j] = 0;
      for (int k = 0; k < L; k++) E[i][j] += A[i][k] * B[k][j];
    }
  for (int i = 0; i < M; i++)
    for (int j = 0; j < K; j++) {
      F[i][j] = 0;
      for (int k = 0; k < L; k++) F[i][j] += C[i][k] * D[k][j];
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < K; j++) {
      G[i][j] = 0;
      for (int k = 0; k < M; k++) G[i][j] += E[i][k] * F[k][j];
    }
}

/* y := A' (A x) */
void atax(real A[N][M], real x[M], real y[M], real tmp[N]) {
  for (int j = 0; j < M; j++) y[j] = 0;
  for (int i = 0; i < N; i++) {
    tmp[i] = 0.0;
    for (int j = 0; j < M; j++) tmp[i] = tmp[i] + A[i][j] * x[j];
    for (int j = 0; j < M; j++) y[j] = y[j] + A[i][j] * tmp[i];
  }
}

/* s := A' r, q := A p */
void bicg(real A[N][M], real s[M], real q[N], real p[M], real r[N]) {
  for (int i = 0; i < M; i++) s[i] = 0;
  for (int i = 0; i < N; i++) {
    q[i] = 0.0;
    for (int j = 0; j < M; j++) {
      s[j] = s[j] + r[i] * A[i][j];
      q[i] = q[i] + A[i][j] * p[j];
    }
  }
}

/* A[r][q][p] := sum over s of A[r][q][s] C[s][p] */
void doitgen(real A[M][K][L], real C[L][L], real line[L]) {
  for (int r = 0; r < M; r++)
    for (int q = 0; q < K; q++) {
      for (int p = 0; p < L; p++) {
        line[p] = 0.0;
        for (int s = 0; s < L; s++) line[p] += A[r][q][s] * C[s][p];
      }
      for (int p = 0; p < L; p++) A[r][q][p] = line[p];
    }
}

/* x1 := x1 + A y1, x2 := x2 + A' y2 */
void mvt(real x1[N], real x2[N], real y1[N], real y2[N], real A[N][N]) {
  int i, j;
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) x1[i] = x1[i] + A[i][j] * y1[j];
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) x2[i] = x2[i] + A[j][i] * y2[j];
}

/* A := A + u1 v1' + u2 v2', x := beta A' y + z, w := alpha A x */
void gemver(real alpha, real beta, real A[N][N], real u1[N], real v1[N], real u2[N], real v2[N], real w[N], real x[N],
            real y[N], real z[N]) {
  int i, j;
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) x[i] = x[i] + beta * A[j][i] * y[j];
  for (i = 0; i < N; i++) x[i] = x[i] + z[i];
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) w[i] = w[i] + alpha * A[i][j] * x[j];
}

/* y := alpha A x + beta B x */
void gesummv(real alpha, real beta, real A[N][N], real B[N][N], real tmp[N], real x[N], real y[N]) {
  for (int i = 0; i < N; i++) {
    tmp[i] = 0.0;
    y[i] = 0.0;
    for (int j = 0; j < N; j++) {
      tmp[i] = A[i][j] * x[j] + tmp[i];
      y[i] = B[i][j] * x[j] + y[i];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}

/* C := alpha A B + beta C, of A (symmetric) the lower triangle is kept */
void symm(real alpha, real beta, real C[M][N], real A[M][M], real B[M][N]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      real rest = 0;
      for (int k = 0; k < i; k++) {
        C[k][j] += alpha * B[i][j] * A[i][k];
        rest += B[k][j] * A[i][k];
      }
      C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * rest;
    }
}

/* lower triangle of C := alpha A A' + beta C */
void syrk(real alpha, real beta, real C[N][N], real A[N][M]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++) C[i][j] *= beta;
    for (int k = 0; k < M; k++)
      for (int j = 0; j <= i; j++) C[i][j] += alpha * A[i][k] * A[j][k];
  }
}

/* lower triangle of C := alpha (A B' + B A') + beta C */
void syr2k(real alpha, real beta, real C[N][N], real A[N][M], real B[N][M]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++) C[i][j] *= beta;
    for (int k = 0; k < M; k++)
      for (int j = 0; j <= i; j++) C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
  }
}

/* B := alpha A' B, A unit lower triangular */
void trmm(real alpha, real A[M][M], real B[M][N]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      for (int k = i + 1; k < M; k++) B[i][j] += A[k][i] * B[k][j];
      B[i][j] = alpha * B[i][j];
    }
}

/* ---- solvers ---- */

/* A = R' R in place, lower triangle */
void cholesky(real A[N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
}

/* Yule-Walker equations by Levinson and Durbin */
void durbin(real r[N], real y[N]) {
  real z[N];
  real alpha, beta, sum;
  y[0] = -r[0];
  beta = 1.0;
  alpha = -r[0];
  for (int k = 1; k < N; k++) {
    beta = (1 - alpha * alpha) * beta;
    sum = 0.0;
    for (int i = 0; i < k; i++) sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    for (int i = 0; i < k; i++) z[i] = y[i] + alpha * y[k - i - 1];
    for (int i = 0; i < k; i++) y[i] = z[i];
    y[k] = alpha;
  }
}

/* A = Q R, modified */
void gramschmidt(real A[N][M], real R[M][M], real Q[N][M]) {
  for (int k = 0; k < M; k++) {
    real nrm = 0.0;
    for (int i = 0; i < N; i++) nrm += A[i][k] * A[i][k];
    R[k][k] = sqrt(nrm);
    for (int i = 0; i < N; i++) Q[i][k] = A[i][k] / R[k][k];
    for (int j = k + 1; j < M; j++) {
      R[k][j] = 0.0;
      for (int i = 0; i < N; i++) R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < N; i++) A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

/* A = L U in place */
void lu(real A[N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < N; j++)
      for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];
  }
}

/* A x = b by A = L U, L y = b, U x = y */
void ludcmp(real A[N][N], real b[N], real x[N], real y[N]) {
  real w;
  int i, j, k;
  for (i = 0; i < N; i++) {
    for (j = 0; j < i; j++) {
      w = A[i][j];
      for (k = 0; k < j; k++) w -= A[i][k] * A[k][j];
      A[i][j] = w / A[j][j];
    }
    for (j = i; j < N; j++) {
      w = A[i][j];
      for (k = 0; k < i; k++) w -= A[i][k] * A[k][j];
      A[i][j] = w;
    }
  }
  for (i = 0; i < N; i++) {
    w = b[i];
    for (j = 0; j < i; j++) w -= A[i][j] * y[j];
    y[i] = w;
  }
  for (i = N - 1; i >= 0; i--) {
    w = y[i];
    for (j = i + 1; j < N; j++) w -= A[i][j] * x[j];
    x[i] = w / A[i][i];
  }
}

/* L x = b */
void trisolv(real A[N][N], real x[N], real b[N]) {
  for (int i = 0; i < N; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++) x[i] -= A[i][j] * x[j];
    x[i] = x[i] / A[i][i];
  }
}

/* ---- data mining ---- */

void correlation(real count, real data[N][M], real corr[M][M], real mean[M], real stddev[M]) {
  int i, j, k;
  real eps = 0.1;
  for (j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (i = 0; i < N; i++) mean[j] += data[i][j];
    mean[j] /= count;
  }
  for (j = 0; j < M; j++) {
    stddev[j] = 0.0;
    for (i = 0; i < N; i++) stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    stddev[j] /= count;
    stddev[j] = sqrt(stddev[j]);
    stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
  }
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) {
      data[i][j] -= mean[j];
      data[i][j] /= sqrt(count) * stddev[j];
    }
  for (i = 0; i < M - 1; i++) {
    corr[i][i] = 1.0;
    for (j = i + 1; j < M; j++) {
      corr[i][j] = 0.0;
      for (k = 0; k < N; k++) corr[i][j] += data[k][i] * data[k][j];
      corr[j][i] = corr[i][j];
    }
  }
  corr[M - 1][M - 1] = 1.0;
}

void covariance(real count, real data[N][M], real cov[M][M], real mean[M]) {
  int i, j, k;
  for (j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (i = 0; i < N; i++) mean[j] += data[i][j];
    mean[j] /= count;
  }
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) data[i][j] -= mean[j];
  for (i = 0; i < M; i++)
    for (j = i; j < M; j++) {
      cov[i][j] = 0.0;
      for (k = 0; k < N; k++) cov[i][j] += data[k][i] * data[k][j];
      cov[i][j] /= count - 1.0;
      cov[j][i] = cov[i][j];
    }
}

/* ---- stencils ---- */

void jacobi1d(real A[N], real B[N]) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 1; i < N - 1; i++) B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    for (int i = 1; i < N - 1; i++) A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
}

void jacobi2d(real A[N][N], real B[N][N]) {
  for (int t = 0; t < STEPS; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][1 + j] + A[1 + i][j] + A[i - 1][j]);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][1 + j] + B[1 + i][j] + B[i - 1][j]);
  }
}

void heat3d(real A[L][L][L], real B[L][L][L]) {
  for (int t = 1; t <= STEPS; t++) {
    for (int i = 1; i < L - 1; i++)
      for (int j = 1; j < L - 1; j++)
        for (int k = 1; k < L - 1; k++)
          B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k]) +
                       0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k]) +
                       0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1]) + A[i][j][k];
    for (int i = 1; i < L - 1; i++)
      for (int j = 1; j < L - 1; j++)
        for (int k = 1; k < L - 1; k++)
          A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k]) +
                       0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k]) +
                       0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1]) + B[i][j][k];
  }
}

void fdtd2d(real ex[N][M], real ey[N][M], real hz[N][M], real source[STEPS]) {
  int t, i, j;
  for (t = 0; t < STEPS; t++) {
    for (j = 0; j < M; j++) ey[0][j] = source[t];
    for (i = 1; i < N; i++)
      for (j = 0; j < M; j++) ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (i = 0; i < N; i++)
      for (j = 1; j < M; j++) ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (i = 0; i < N - 1; i++)
      for (j = 0; j < M - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

void seidel2d(real A[N][N]) {
  for (int t = 0; t <= STEPS - 1; t++)
    for (int i = 1; i <= N - 2; i++)
      for (int j = 1; j <= N - 2; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] +
                   A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0;
}

/* alternating directions: tridiagonal solves along columns, then along rows */
void adi(real a, real b, real c, real d, real e, real f, real u[N][N], real v[N][N], real p[N][N], real q[N][N]) {
  for (int t = 1; t <= STEPS; t++) {
    for (int i = 1; i < N - 1; i++) {
      v[0][i] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = v[0][i];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -c / (a * p[i][j - 1] + b);
        q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1] - a * q[i][j - 1]) /
                  (a * p[i][j - 1] + b);
      }
      v[N - 1][i] = 1.0;
      for (int j = N - 2; j >= 1; j--) v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
    }
    for (int i = 1; i < N - 1; i++) {
      u[i][0] = 1.0;
      p[i][0] = 0.0;
      q[i][0] = u[i][0];
      for (int j = 1; j < N - 1; j++) {
        p[i][j] = -f / (d * p[i][j - 1] + e);
        q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j] - d * q[i][j - 1]) /
                  (d * p[i][j - 1] + e);
      }
      u[i][N - 1] = 1.0;
      for (int j = N - 2; j >= 1; j--) u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}

/* ---- others ---- */

/* recursive edge detection: forwards and backwards along rows, then along columns */
void deriche(real a1, real a2, real a3, real a4, real b1, real b2, real in[N][M], real out[N][M], real y1[N][M],
             real y2[N][M]) {
  int i, j;
  real xm1, ym1, ym2, xp1, xp2, yp1, yp2, tm1, tp1, tp2;
  for (i = 0; i < N; i++) {
    ym1 = 0.0;
    ym2 = 0.0;
    xm1 = 0.0;
    for (j = 0; j < M; j++) {
      y1[i][j] = a1 * in[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
      xm1 = in[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (i = 0; i < N; i++) {
    yp1 = 0.0;
    yp2 = 0.0;
    xp1 = 0.0;
    xp2 = 0.0;
    for (j = M - 1; j >= 0; j--) {
      y2[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
      xp2 = xp1;
      xp1 = in[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) out[i][j] = a1 * (y1[i][j] + y2[i][j]);
  for (j = 0; j < M; j++) {
    tm1 = 0.0;
    ym1 = 0.0;
    ym2 = 0.0;
    for (i = 0; i < N; i++) {
      y1[i][j] = a1 * out[i][j] + a2 * tm1 + b1 * ym1 + b2 * ym2;
      tm1 = out[i][j];
      ym2 = ym1;
      ym1 = y1[i][j];
    }
  }
  for (j = 0; j < M; j++) {
    tp1 = 0.0;
    tp2 = 0.0;
    yp1 = 0.0;
    yp2 = 0.0;
    for (i = N - 1; i >= 0; i--) {
      y2[i][j] = a3 * tp1 + a4 * tp2 + b1 * yp1 + b2 * yp2;
      tp2 = tp1;
      tp1 = out[i][j];
      yp2 = yp1;
      yp1 = y2[i][j];
    }
  }
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) out[i][j] = a1 * (y1[i][j] + y2[i][j]);
}

/* all shortest paths */
void floydwarshall(int path[N][N]) {
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) path[i][j] = SMALLER(path[i][j], path[i][k] + path[k][j]);
}

/* longest nesting of paired bases */
void nussinov(char base[N], int best[N][N]) {
  for (int i = N - 1; i >= 0; i--)
    for (int j = i + 1; j < N; j++) {
      if (j - 1 >= 0) best[i][j] = LARGER(best[i][j], best[i][j - 1]);
      if (i + 1 < N) best[i][j] = LARGER(best[i][j], best[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < N) {
        if (i < j - 1)
          best[i][j] = LARGER(best[i][j], best[i + 1][j - 1] + (base[i] + base[j] == 3 ? 1 : 0));
        else
          best[i][j] = LARGER(best[i][j], best[i + 1][j - 1]);
      }
      for (int k = i + 1; k < j; k++) best[i][j] = LARGER(best[i][j], best[i][k] + best[k + 1][j]);
    }
}
