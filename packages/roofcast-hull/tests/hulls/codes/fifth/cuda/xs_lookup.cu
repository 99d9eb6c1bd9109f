/* Cross sections at random energies: search in a sorted grid, then linear between two points of it */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

typedef struct {
    double energy;
    double total, elastic, absorption;
} Point;

#define GRIDPOINTS 11303
#define LOOKUPS 1000000

__device__ long grid_search(long n, double quarry, const Point *A)
{
    long lower = 0;
    long upper = n - 1;
    while (A[lower + 1].energy < quarry) {
        long mid = lower + (upper - lower) / 2;
        if (A[mid].energy > quarry)
            upper = mid;
        else
            lower = mid;
        if (upper - lower <= 1)
            break;
    }
    return lower;
}

__global__ void xs_lookup(const Point *grid, const double *energies, double *macro, int lookups)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lookups) return;
    double e = energies[i];
    long at = grid_search(GRIDPOINTS, e, grid);
    Point low = grid[at];
    Point high = grid[at + 1];
    double f = (high.energy - e) / (high.energy - low.energy);
    macro[3 * i + 0] = high.total - f * (high.total - low.total);
    macro[3 * i + 1] = high.elastic - f * (high.elastic - low.elastic);
    macro[3 * i + 2] = high.absorption - f * (high.absorption - low.absorption);
}

static int by_energy(const void *a, const void *b)
{
    double x = ((const Point *)a)->energy, y = ((const Point *)b)->energy;
    return (x > y) - (x < y);
}

int main(void)
{
    Point *grid = (Point *)malloc(sizeof(Point) * GRIDPOINTS);
    double *e = (double *)malloc(sizeof(double) * LOOKUPS);
    double *out = (double *)malloc(sizeof(double) * 3 * LOOKUPS);
    for (int i = 0; i < GRIDPOINTS; i++) {
        grid[i].energy = drand48();
        grid[i].total = drand48();
        grid[i].elastic = drand48();
        grid[i].absorption = drand48();
    }
    qsort(grid, GRIDPOINTS, sizeof(Point), by_energy);
    for (int i = 0; i < LOOKUPS; i++) e[i] = drand48();
    Point *d_grid;
    double *d_e, *d_out;
    cudaMalloc((void **)&d_grid, sizeof(Point) * GRIDPOINTS);
    cudaMalloc((void **)&d_e, sizeof(double) * LOOKUPS);
    cudaMalloc((void **)&d_out, sizeof(double) * 3 * LOOKUPS);
    cudaMemcpy(d_grid, grid, sizeof(Point) * GRIDPOINTS, cudaMemcpyHostToDevice);
    cudaMemcpy(d_e, e, sizeof(double) * LOOKUPS, cudaMemcpyHostToDevice);
    xs_lookup<<<(LOOKUPS + 255) / 256, 256>>>(d_grid, d_e, d_out, LOOKUPS);
    cudaMemcpy(out, d_out, sizeof(double) * 3 * LOOKUPS, cudaMemcpyDeviceToHost);
    double check = 0;
    for (int i = 0; i < 3 * LOOKUPS; i++) check += out[i];
    printf("checksum %.6f\n", check);
    cudaFree(d_grid);
    cudaFree(d_e);
    cudaFree(d_out);
    free(grid);
    free(e);
    free(out);
    return 0;
}
