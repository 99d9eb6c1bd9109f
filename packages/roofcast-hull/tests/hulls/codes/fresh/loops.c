/* Loops of the kinds that simulation, statistics and games are made of. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define N 512
#define BS 32
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define SAMPLES 65536
#define TAPS 16
#define V 256
#define COUNT 100000
#define ROWS 512
#define COLS 512
#define WIDTH 1024

void gemm_blocked(double A[N][N], double B[N][N], double C[N][N]) {
    for (int ii = 0; ii < N; ii += BS)
        for (int kk = 0; kk < N; kk += BS)
            for (int jj = 0; jj < N; jj += BS)
                for (int i = ii; i < MIN(ii + BS, N); i++)
                    for (int k = kk; k < MIN(kk + BS, N); k++) {
                        double a = A[i][k];
                        for (int j = jj; j < MIN(jj + BS, N); j++) C[i][j] += a * B[k][j];
                    }
}

void fir(const float x[SAMPLES + TAPS - 1], const float h[TAPS], float y[SAMPLES]) {
    int n, k;
    for (n = 0; n < SAMPLES; n++) {
        float acc = 0.0f;
        for (k = 0; k < TAPS; k++) acc += h[TAPS - 1 - k] * x[n + k];
        y[n] = acc;
    }
}

void floyd(int dist[V][V]) {
    for (int k = 0; k < V; k++)
        for (int i = 0; i < V; i++)
            for (int j = 0; j < V; j++)
                if (dist[i][k] + dist[k][j] < dist[i][j]) dist[i][j] = dist[i][k] + dist[k][j];
}

void mean_variance(const double data[COUNT], double *mean, double *variance) {
    double m = 0.0;
    for (size_t i = 0; i < COUNT; ++i) m += data[i];
    m /= COUNT;
    double v = 0.0;
    for (size_t i = 0; i < COUNT; ++i) {
        const double d = data[i] - m;
        v += d * d;
    }
    *mean = m;
    *variance = v / (COUNT - 1);
}

void life(const uint8_t old[ROWS][COLS], uint8_t next[ROWS][COLS]) {
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLS; j++) {
            int count = 0;
            for (int di = -1; di <= 1; di++)
                for (int dj = -1; dj <= 1; dj++)
                    if (di || dj) count += old[(i + di + ROWS) % ROWS][(j + dj + COLS) % COLS];
            next[i][j] = count == 3 || (count == 2 && old[i][j]);
        }
    }
}

double norm2(const double *restrict x) {
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000000; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

void count_levels(const uint16_t data[1 << 20], uint32_t histogram[4096]) {
    for (int i = 0; i < (1 << 20); i++) histogram[data[i] >> 4]++;
}

void row_prefix(const float in[ROWS][WIDTH], float out[ROWS][WIDTH]) {
    for (int r = 0; r < ROWS; r++) {
        float s = 0.f;
        for (int c = 0; c < WIDTH; c++) {
            s += in[r][c];
            out[r][c] = s;
        }
    }
}

typedef struct {
    double x, y, z;
    double vx, vy, vz;
} Particle;

void push(Particle p[50000], double dt) {
    for (int i = 0; i < 50000; i++) {
        p[i].x += p[i].vx * dt;
        p[i].y += p[i].vy * dt;
        p[i].z += p[i].vz * dt;
    }
}

int lower_bound(const int keys[COUNT], int key) {
    int lo = 0, hi = COUNT;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (keys[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
