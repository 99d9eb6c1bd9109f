/* 2-D FDTD kernel, split in one function per field; the time loop is in main.
 * Checked: operations with a self-counting number type, full size. */
#include <stdio.h>
#include <stdlib.h>

#define NX 1000
#define NY 1200
#define TSTEPS 5
#define DATA_TYPE double

static DATA_TYPE ex[NX][NY], ey[NX][NY], hz[NX][NY];
static DATA_TYPE fict[TSTEPS];

static void init_array(void)
{
    for (int t = 0; t < TSTEPS; t++)
        fict[t] = (DATA_TYPE)t;
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++) {
            ex[i][j] = ((DATA_TYPE)i * (j + 1)) / NX;
            ey[i][j] = ((DATA_TYPE)i * (j + 2)) / NY;
            hz[i][j] = ((DATA_TYPE)i * (j + 3)) / NX;
        }
}

/* source on the first row, then the interior rows */
void update_ey(DATA_TYPE src)
{
    int i, j;
    for (j = 0; j < NY; j++)
        ey[0][j] = src;
    for (i = 1; i < NX; i++)
        for (j = 0; j < NY; j++)
            ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
}

void update_ex(void)
{
    int i, j;
    for (i = 0; i < NX; i++)
        for (j = 1; j < NY; j++)
            ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
}

void update_hz(void)
{
    int i, j;
    for (i = 0; i < NX - 1; i++)
        for (j = 0; j < NY - 1; j++)
            hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
}

int main(void)
{
    init_array();
    for (int t = 0; t < TSTEPS; t++) {
        update_ey(fict[t]);
        update_ex();
        update_hz();
    }
    double s = 0.0;
    for (int i = 0; i < NX; i += 13)
        for (int j = 0; j < NY; j += 17)
            s += hz[i][j];
    printf("hz checksum %e\n", s);
    return 0;
}
