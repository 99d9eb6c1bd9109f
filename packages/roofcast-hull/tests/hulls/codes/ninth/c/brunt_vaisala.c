/*
 * Dry static stability of a block of model columns (level-major layout,
 * columns contiguous).  Level 0 is the ground.
 */
#include <math.h>

#define NLEV 60
#define NCOL 16384

#define P00    100000.0f
#define KAPPA  0.2857143f
#define GRAV   9.80665f

float temperature[NLEV][NCOL], pressure[NLEV][NCOL], height[NLEV][NCOL];
float theta[NLEV][NCOL], bvf2[NLEV][NCOL];

void potential_temperature(void)
{
#pragma omp parallel for collapse(2)
    for (int k = 0; k < NLEV; k++)
        for (int c = 0; c < NCOL; c++)
            theta[k][c] = temperature[k][c] * powf(P00 / pressure[k][c], KAPPA);
}

/* N^2 = g/theta dtheta/dz at the inner levels, centred differences */
void brunt_vaisala_squared(void)
{
#pragma omp parallel for
    for (int k = 1; k < NLEV - 1; k++) {
#pragma omp simd
        for (int c = 0; c < NCOL; c++) {
            const float dth = theta[k + 1][c] - theta[k - 1][c];
            const float dz = height[k + 1][c] - height[k - 1][c];
            bvf2[k][c] = GRAV / theta[k][c] * dth / dz;
        }
    }
}
