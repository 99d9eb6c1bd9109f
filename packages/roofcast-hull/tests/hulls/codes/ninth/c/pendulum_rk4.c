/*
 * Ensemble of damped pendulums, classical RK4, every pendulum integrated
 * by itself for a fixed number of steps.
 *   gcc -O3 -fopenmp pendulum_rk4.c -lm
 * 40 operations a step and a division a pendulum: counted by hand and by a
 * self-counting translation.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N_PEND   20000
#define N_STEPS  100

typedef struct {
    double theta;
    double omega;
} pendulum_t;

static const double gravity = -9.81;   /* restoring, hence the sign */
static const double damping = 0.15;

static inline double angular_acc(double theta, double omega, double k)
{
    return k * sin(theta) - damping * omega;
}

void integrate_all(pendulum_t *state, const double *length, int n, int nsteps, double h)
{
    const double h2 = 0.5 * h;
    const double h6 = h / 6.0;

#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        double th = state[i].theta;
        double w = state[i].omega;
        const double k = gravity / length[i];

        for (int s = 0; s < nsteps; s++) {
            double t1 = w;
            double w1 = angular_acc(th, w, k);
            double t2 = w + h2 * w1;
            double w2 = angular_acc(th + h2 * t1, t2, k);
            double t3 = w + h2 * w2;
            double w3 = angular_acc(th + h2 * t2, t3, k);
            double t4 = w + h * w3;
            double w4 = angular_acc(th + h * t3, t4, k);

            th += h6 * (t1 + 2.0 * (t2 + t3) + t4);
            w += h6 * (w1 + 2.0 * (w2 + w3) + w4);
        }
        state[i].theta = th;
        state[i].omega = w;
    }
}

int main(void)
{
    pendulum_t *state = malloc(N_PEND * sizeof *state);
    double *length = malloc(N_PEND * sizeof *length);
    if (!state || !length)
        return EXIT_FAILURE;

    for (int i = 0; i < N_PEND; i++) {
        state[i].theta = 3.0 * (i + 1) / (double)N_PEND;
        state[i].omega = 0.0;
        length[i] = 0.5 + 1.5 * (i % 101) / 100.0;
    }

    integrate_all(state, length, N_PEND, N_STEPS, 0.01);

    double e = 0.0;
    for (int i = 0; i < N_PEND; i++)
        e += 0.5 * state[i].omega * state[i].omega * length[i] * length[i];
    printf("mean kinetic energy per mass: %.8f\n", e / N_PEND);
    free(state);
    free(length);
    return 0;
}
