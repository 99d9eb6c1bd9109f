/* cache-blocked kernels shared by the solver tests */
#include <stdio.h>
#include <stdlib.h>

#define M 384
#define N 512
#define KK 256
#define TB 32
#define AT(p, ld, i, j) ((p)[(size_t)(i) * (ld) + (j)])

/* C = A * B' ; both operands row-major with K contiguous */
void gemm_nt(const float *A, const float *B, float *C)
{
#pragma omp parallel for collapse(2)
    for (int ii = 0; ii < M; ii += TB)
        for (int jj = 0; jj < N; jj += TB)
            for (int i = ii; i < ii + TB; i++)
                for (int j = jj; j < jj + TB; j++) {
                    float t = 0;
                    for (int k = 0; k < KK; k++)
                        t += AT(A, KK, i, k) * AT(B, KK, j, k);
                    AT(C, N, i, j) = t;
                }
}

void flip(const float *C, float *T)
{
    for (int ii = 0; ii < M; ii += TB)
        for (int jj = 0; jj < N; jj += TB)
            for (int j = jj; j < jj + TB; j++)
                for (int i = ii; i < ii + TB; i++)
                    AT(T, M, j, i) = AT(C, N, i, j);
}

/* add u v' to T */
void rank_one(float *T, const float *u, const float *v)
{
    for (int j = 0; j < N; j++) {
        float *row = T + (size_t)j * M, uj = u[j];
        for (int i = 0; i < M; i++)
            row[i] += uj * v[i];
    }
}

int main(void)
{
    float *A = malloc(M * KK * sizeof(float)), *B = malloc(N * KK * sizeof(float));
    float *C = malloc(M * N * sizeof(float)), *T = malloc(M * N * sizeof(float));
    float u[N], v[M];
    for (int i = 0; i < M * KK; i++) A[i] = (i % 13) * 0.1f;
    for (int i = 0; i < N * KK; i++) B[i] = (i % 7) * 0.2f;
    for (int i = 0; i < N; i++) u[i] = i;
    for (int i = 0; i < M; i++) v[i] = 1.0f / (1 + i);
    gemm_nt(A, B, C);
    flip(C, T);
    rank_one(T, u, v);
    printf("%f\n", T[777]);
    free(A); free(B); free(C); free(T);
    return 0;
}
