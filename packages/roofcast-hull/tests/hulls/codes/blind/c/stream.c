#include <stdio.h>
#ifndef STREAM_ARRAY_SIZE
#define STREAM_ARRAY_SIZE 2000000
#endif

static double a[STREAM_ARRAY_SIZE], b[STREAM_ARRAY_SIZE], c[STREAM_ARRAY_SIZE];

void copy_array(void)
{
    long j;
#pragma omp parallel for
    for (j = 0; j < STREAM_ARRAY_SIZE; j++)
        c[j] = a[j];
}

void scale_array(double scalar)
{
    long j;
#pragma omp parallel for
    for (j = 0; j < STREAM_ARRAY_SIZE; j++)
        b[j] = scalar * c[j];
}

void add_arrays(void)
{
    long j;
#pragma omp parallel for
    for (j = 0; j < STREAM_ARRAY_SIZE; j++)
        c[j] = a[j] + b[j];
}

void triad_arrays(double scalar)
{
    long j;
#pragma omp parallel for
    for (j = 0; j < STREAM_ARRAY_SIZE; j++)
        a[j] = b[j] + scalar * c[j];
}
