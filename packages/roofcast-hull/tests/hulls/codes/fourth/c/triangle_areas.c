#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 201
#define ROWS 101
#define VERTICES (COLUMNS * ROWS)
#define FACES (2 * (COLUMNS - 1) * (ROWS - 1))

static int face[FACES][3];
static double vertex[VERTICES][2];
static double area[FACES];

void triangle_areas(void)
{
    for (int f = 0; f < FACES; f++) {
        int a = face[f][0], b = face[f][1], c = face[f][2];
        double abx = vertex[b][0] - vertex[a][0];
        double aby = vertex[b][1] - vertex[a][1];
        double acx = vertex[c][0] - vertex[a][0];
        double acy = vertex[c][1] - vertex[a][1];
        area[f] = 0.5 * fabs(abx * acy - acx * aby);
    }
}

int main(void)
{
    int f = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            vertex[r * COLUMNS + c][0] = c * 0.5 + 0.01 * r;
            vertex[r * COLUMNS + c][1] = r * 0.25;
        }
    for (int r = 0; r + 1 < ROWS; r++)
        for (int c = 0; c + 1 < COLUMNS; c++) {
            int v = r * COLUMNS + c;
            face[f][0] = v; face[f][1] = v + 1; face[f][2] = v + COLUMNS; f++;
            face[f][0] = v + 1; face[f][1] = v + COLUMNS + 1; face[f][2] = v + COLUMNS; f++;
        }
    triangle_areas();
    printf("%g %g\n", area[0], area[FACES - 1]);
    return 0;
}
