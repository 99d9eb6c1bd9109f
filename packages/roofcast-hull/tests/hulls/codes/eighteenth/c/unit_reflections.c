/* Intensities of reflections (h k l) from fractional coordinates of the atoms of a cell. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ATOMS 72
#define HMAX 16
#define TWO_PI 6.283185307179586

struct atom { double x, y, z, f; };
static struct atom cell[ATOMS];
static double intensity[HMAX][HMAX][HMAX];

void reflections(void)
{
    #pragma omp parallel for collapse(2)
    for (int h = 0; h < HMAX; h++)
        for (int k = 0; k < HMAX; k++)
            for (int l = 0; l < HMAX; l++) {
                double re = 0, im = 0;
                for (int a = 0; a < ATOMS; a++) {
                    double ph = TWO_PI * (h * cell[a].x + k * cell[a].y + l * cell[a].z);
                    re += cell[a].f * cos(ph);
                    im += cell[a].f * sin(ph);
                }
                intensity[h][k][l] = re * re + im * im;
            }
}

int main(void)
{
    for (int a = 0; a < ATOMS; a++)
        cell[a] = (struct atom){ rand() % 97 / 97.0, rand() % 89 / 89.0, rand() % 83 / 83.0, 6.0 + a % 3 };
    reflections();
    printf("%f\n", intensity[1][2][3]);
    return 0;
}
