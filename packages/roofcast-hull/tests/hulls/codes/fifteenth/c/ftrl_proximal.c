/* FTRL-proximal with per-coordinate rates (ad click models): one dense step and the sparsity that it leaves */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIM 1048576

void ftrl_step(float *restrict z, float *restrict n, float *restrict w, const float *restrict g,
               float inv_alpha, float beta, float l1, float l2)
{
    for (int i = 0; i < DIM; ++i) {
        float acc = n[i] + g[i] * g[i];
        float root = sqrtf(acc);
        float sigma = (root - sqrtf(n[i])) * inv_alpha;
        float zi = z[i] + (g[i] - sigma * w[i]);
        z[i] = zi;
        n[i] = acc;
        w[i] = fabsf(zi) <= l1 ? 0.0f : (copysignf(l1, zi) - zi) / ((beta + root) * inv_alpha + l2);
    }
}

int sparsity(const float *w, float *norm)
{
    int live = 0;
    float sum = 0.0f;
    for (int i = 0; i < DIM; ++i) {
        sum += fabsf(w[i]);
        live += w[i] != 0.0f;
    }
    *norm = sum;
    return live;
}

int main(void)
{
    float *z = calloc(DIM, 4), *n = calloc(DIM, 4), *w = calloc(DIM, 4), *g = malloc(DIM * sizeof(float));
    for (int i = 0; i < DIM; ++i) g[i] = rand() / (float)RAND_MAX - 0.5f;
    ftrl_step(z, n, w, g, 10.0f, 1.0f, 0.3f, 0.1f);
    float norm;
    int live = sparsity(w, &norm);
    printf("%d %f\n", live, norm);
    return 0;
}
