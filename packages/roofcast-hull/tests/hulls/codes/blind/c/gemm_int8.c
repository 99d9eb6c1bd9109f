#include <stdint.h>
#define M 256
#define N 384
#define K 512

void gemm_s8(const int8_t *a, const int8_t *b, int32_t *c)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int32_t acc = 0;
            for (int k = 0; k < K; k++)
                acc += (int32_t)a[i * K + k] * (int32_t)b[k * N + j];
            c[i * N + j] = acc;
        }
}
