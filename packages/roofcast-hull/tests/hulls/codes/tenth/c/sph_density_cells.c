/* SPH on a fixed neighbour list (32 entries for each particle): density, then pressure.
 * Self-counted at full size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NP 60000
#define NNB 32
#define H 0.25f

static float px[NP], py[NP], pz[NP], rho[NP], prs[NP];
static int nbr[NP][NNB];

void density(float mass)
{
    const float h2 = H * H;
    const float poly6 = 315.0f / (64.0f * 3.14159265f * H * H * H * H * H * H * H * H * H);
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < NP; i++) {
        float sum = 0.0f;
        for (int k = 0; k < NNB; k++) {
            int j = nbr[i][k];
            float dx = px[i] - px[j];
            float dy = py[i] - py[j];
            float dz = pz[i] - pz[j];
            float r2 = dx * dx + dy * dy + dz * dz;
            float d = h2 - r2;
            d = d > 0.0f ? d : 0.0f;
            sum += d * d * d;
        }
        rho[i] = mass * poly6 * sum;
    }
}

void equation_of_state(float rho0, float k, float gamma)
{
    for (int i = 0; i < NP; i++) {
        float ratio = rho[i] / rho0;
        float p = k * (powf(ratio, gamma) - 1.0f);
        prs[i] = p < 0.0f ? 0.0f : p;
    }
}

int main(void)
{
    srand(11);
    for (int i = 0; i < NP; i++) {
        px[i] = rand() / (float)RAND_MAX;
        py[i] = rand() / (float)RAND_MAX;
        pz[i] = rand() / (float)RAND_MAX;
        for (int k = 0; k < NNB; k++)
            nbr[i][k] = (i + k * k * 7 + 1) % NP;
    }
    density(0.02f);
    equation_of_state(1000.0f, 3.0f, 7.0f);
    printf("rho %g p %g\n", rho[17], prs[17]);
    return 0;
}
