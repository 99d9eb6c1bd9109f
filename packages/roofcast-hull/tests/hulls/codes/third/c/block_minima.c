#include <float.h>
#include <stdlib.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define BLOCK 4096

void block_minima(const float *restrict values, float *restrict minima, int blocks)
{
    #pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        float m = FLT_MAX;
        const float *p = values + b * BLOCK;
        #pragma omp simd reduction(min:m)
        for (int i = 0; i < BLOCK; i++)
            m = MIN(m, p[i]);
        minima[b] = m;
    }
}

int main(void)
{
    int blocks = 2000;
    float *values = malloc(sizeof(float) * BLOCK * blocks);
    float *minima = malloc(sizeof(float) * blocks);
    block_minima(values, minima, blocks);
    return minima[0] < 0;
}
