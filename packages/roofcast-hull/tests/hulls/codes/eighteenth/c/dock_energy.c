/* Score of poses of a rigid ligand in a receptor: 9-6 potential and charges, every atom against every atom. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define POSES 64
#define LIG 24
#define REC 1500

static float lig[POSES][LIG][3], lig_q[LIG];
static float rec_x[REC], rec_y[REC], rec_z[REC], rec_q[REC];
static float score[POSES];

void score_poses(float eps, float r0sq)
{
#pragma omp parallel for
    for (int p = 0; p < POSES; p++) {
        float total = 0.f;
        for (int a = 0; a < LIG; a++) {
            const float *l = lig[p][a];
            float partial = 0.f;
#pragma omp simd reduction(+ : partial)
            for (int b = 0; b < REC; b++) {
                float dx = l[0] - rec_x[b];
                float dy = l[1] - rec_y[b];
                float dz = l[2] - rec_z[b];
                float d2 = dx * dx + dy * dy + dz * dz + 0.25f;
                float k = r0sq / d2;
                float k3 = k * k * k;
                partial += eps * (2.f * k3 * sqrtf(k3) - 3.f * k3) + 83.f * lig_q[a] * rec_q[b] / d2;
            }
            total += partial;
        }
        score[p] = total;
    }
}

int main(void)
{
    for (int b = 0; b < REC; b++) {
        rec_x[b] = rand() % 300 * 0.1f; rec_y[b] = rand() % 300 * 0.1f;
        rec_z[b] = rand() % 300 * 0.1f; rec_q[b] = (rand() % 100 - 50) * 0.01f;
    }
    for (int a = 0; a < LIG; a++) {
        lig_q[a] = 0.1f - 0.2f * (a & 1);
        for (int p = 0; p < POSES; p++)
            for (int d = 0; d < 3; d++) lig[p][a][d] = 15.f + 0.5f * (a % (d + 3)) + 0.1f * p;
    }
    score_poses(0.15f, 12.f);
    printf("%f\n", score[3]);
    return 0;
}
