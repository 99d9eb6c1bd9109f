#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 512
#define DIM   128

typedef float vec[DIM];

static void unit_rows(vec *x)
{
    for (int b = 0; b < BATCH; b++) {
        float n = 0.f;
        for (int d = 0; d < DIM; d++)
            n += x[b][d] * x[b][d];
        n = 1.f / sqrtf(n);
        for (int d = 0; d < DIM; d++)
            x[b][d] *= n;
    }
}

static void similarities(vec *img, vec *txt, float (*sim)[BATCH], float scale)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < BATCH; i++)
        for (int j = 0; j < BATCH; j++) {
            float s = 0.f;
#pragma omp simd reduction(+ : s)
            for (int d = 0; d < DIM; d++)
                s += img[i][d] * txt[j][d];
            sim[i][j] = scale * s;
        }
}

static void row_losses(float (*sim)[BATCH], float *loss)
{
    for (int i = 0; i < BATCH; i++) {
        const float *s = sim[i];
        float top = s[0], z = 0.f;
        for (int j = 1; j < BATCH; j++)
            top = fmaxf(top, s[j]);
        for (int j = 0; j < BATCH; j++)
            z += expf(s[j] - top);
        loss[i] = logf(z) + top - s[i];
    }
}

int main(void)
{
    vec *img = malloc(BATCH * sizeof(vec)), *txt = malloc(BATCH * sizeof(vec));
    float (*sim)[BATCH] = malloc(sizeof(float[BATCH][BATCH]));
    float loss[BATCH], mean = 0;
    for (int i = 0; i < BATCH * DIM; i++) {
        img[i / DIM][i % DIM] = rand() % 200 - 100;
        txt[i / DIM][i % DIM] = rand() % 200 - 100 + img[i / DIM][i % DIM];
    }
    unit_rows(img);
    unit_rows(txt);
    similarities(img, txt, sim, 14.3f);
    row_losses(sim, loss);
    for (int i = 0; i < BATCH; i++)
        mean += loss[i] / BATCH;
    printf("%f\n", mean);
    free(img); free(txt); free(sim);
}
