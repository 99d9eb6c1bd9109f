#define M 1500
#define N 1200

void margins(const double t[M][N], double rows[M], double cols[N])
{
    for (int j = 0; j < N; j++) cols[j] = 0;
    for (int i = 0; i < M; i++) {
        rows[i] = 0;
        for (int j = 0; j < N; j++) {
            rows[i] += t[i][j];
            cols[j] += t[i][j];
        }
    }
}

void range_and_mean(const float *v, float *lo, float *hi, float *mean)
{
    float a = v[0], b = v[0], s = 0;
    for (int i = 0; i < M * N; i++) {
        if (v[i] < a) a = v[i];
        if (v[i] > b) b = v[i];
        s += v[i];
    }
    *lo = a;
    *hi = b;
    *mean = s / (M * N);
}

void prefix(const int *v, int *out)
{
    int run = 0;
    for (int i = 0; i < M * N; i++) {
        run += v[i];
        out[i] = run;
    }
}
