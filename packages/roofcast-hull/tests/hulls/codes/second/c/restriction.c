/* To the next coarser grid. */
#define NF 128
#define NC (NF / 2)

void restrict_grid(const double fine[NF][NF][NF], double coarse[NC][NC][NC])
{
    for (int k = 0; k < NC; k++)
        for (int j = 0; j < NC; j++)
            for (int i = 0; i < NC; i++) {
                const int z = 2 * k, y = 2 * j, x = 2 * i;
                coarse[k][j][i] = 0.125 * (fine[z][y][x] + fine[z][y][x + 1] + fine[z][y + 1][x] + fine[z][y + 1][x + 1] +
                                           fine[z + 1][y][x] + fine[z + 1][y][x + 1] + fine[z + 1][y + 1][x] +
                                           fine[z + 1][y + 1][x + 1]);
            }
}
