/* Cheapest way from the top of a picture to each pixel, for seams. */
#define ROWS 600
#define COLS 2000

int energy[ROWS][COLS];
int cost[ROWS][COLS];

void cheapest_path(void)
{
    for (int r = 1; r < ROWS; r++)
        for (int c = 1; c < COLS - 1; c++) {
            int best = cost[r - 1][c];
            if (cost[r - 1][c - 1] < best)
                best = cost[r - 1][c - 1];
            if (cost[r - 1][c + 1] < best)
                best = cost[r - 1][c + 1];
            cost[r][c] = energy[r][c] + best;
        }
}
