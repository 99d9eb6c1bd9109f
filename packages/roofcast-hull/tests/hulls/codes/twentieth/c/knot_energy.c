/* Repulsion between the nodes of a closed polygon (a knot), and its tangents; for the tightening loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES 2400

typedef double vec[3];

static vec node[NODES], tangent[NODES];
static double energy[NODES];

static void tangents(void)
{
    for (int i = 0; i < NODES; i++) {
        int j = (i + 1) % NODES;
        double dx = node[j][0] - node[i][0];
        double dy = node[j][1] - node[i][1];
        double dz = node[j][2] - node[i][2];
        double inv = 1.0 / sqrt(dx * dx + dy * dy + dz * dz);
        tangent[i][0] = dx * inv;
        tangent[i][1] = dy * inv;
        tangent[i][2] = dz * inv;
    }
}

static void repulsion(void)
{
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < NODES; i++) {
        double e = 0.0;
        for (int j = 0; j < NODES; j++) {
            if (j == i)
                continue;
            double r2 = 0.0;
            for (int c = 0; c < 3; c++) {
                double d = node[i][c] - node[j][c];
                r2 += d * d;
            }
            e += 1.0 / r2;
        }
        energy[i] = e;
    }
}

int main(void)
{
    for (int i = 0; i < NODES; i++) {
        double t = 2 * M_PI * i / NODES;
        node[i][0] = sin(t) + 2 * sin(2 * t);
        node[i][1] = cos(t) - 2 * cos(2 * t);
        node[i][2] = -sin(3 * t);
    }
    tangents();
    repulsion();
    printf("%g %g\n", tangent[0][0], energy[0]);
    return 0;
}
