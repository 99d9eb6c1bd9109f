/* Batch normalisation of a convolutional layer on the CPU, one function a step.
 * Layout batch x filters x spatial. Self-counted at full size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 4
#define FILTERS 32
#define SPATIAL (52 * 52)

void mean_cpu(float *x, int batch, int filters, int spatial, float *mean)
{
    float scale = 1. / (batch * spatial);
    int i, j, k;
    for (i = 0; i < filters; ++i) {
        mean[i] = 0;
        for (j = 0; j < batch; ++j) {
            for (k = 0; k < spatial; ++k) {
                int index = j * filters * spatial + i * spatial + k;
                mean[i] += x[index];
            }
        }
        mean[i] *= scale;
    }
}

void variance_cpu(float *x, float *mean, int batch, int filters, int spatial, float *variance)
{
    float scale = 1. / (batch * spatial - 1);
    int i, j, k;
    for (i = 0; i < filters; ++i) {
        variance[i] = 0;
        for (j = 0; j < batch; ++j) {
            for (k = 0; k < spatial; ++k) {
                int index = j * filters * spatial + i * spatial + k;
                float d = x[index] - mean[i];
                variance[i] += d * d;
            }
        }
        variance[i] *= scale;
    }
}

void normalize_cpu(float *x, float *mean, float *variance, int batch, int filters, int spatial)
{
    int b, f, i;
    for (b = 0; b < batch; ++b) {
        for (f = 0; f < filters; ++f) {
            for (i = 0; i < spatial; ++i) {
                int index = b * filters * spatial + f * spatial + i;
                x[index] = (x[index] - mean[f]) / (sqrt(variance[f]) + .000001f);
            }
        }
    }
}

void scale_add_bias(float *output, float *scales, float *biases, int batch, int n, int size)
{
    int i, j, b;
    for (b = 0; b < batch; ++b) {
        for (i = 0; i < n; ++i) {
            for (j = 0; j < size; ++j) {
                output[(b * n + i) * size + j] *= scales[i];
            }
        }
    }
    for (b = 0; b < batch; ++b) {
        for (i = 0; i < n; ++i) {
            for (j = 0; j < size; ++j) {
                output[(b * n + i) * size + j] += biases[i];
            }
        }
    }
}

int main(void)
{
    int total = BATCH * FILTERS * SPATIAL;
    float *x = malloc(total * sizeof(float));
    float mean[FILTERS], var[FILTERS], sc[FILTERS], bi[FILTERS];
    if (!x) return 1;
    for (int i = 0; i < total; ++i) x[i] = (i % 1013) * 0.01f;
    for (int f = 0; f < FILTERS; ++f) {
        sc[f] = 1.0f + 0.1f * f;
        bi[f] = -0.5f;
    }
    mean_cpu(x, BATCH, FILTERS, SPATIAL, mean);
    variance_cpu(x, mean, BATCH, FILTERS, SPATIAL, var);
    normalize_cpu(x, mean, var, BATCH, FILTERS, SPATIAL);
    scale_add_bias(x, sc, bi, BATCH, FILTERS, SPATIAL);
    printf("%f %f\n", x[0], x[total - 1]);
    free(x);
    return 0;
}
