/* Columns with mean 0 and deviation 1. */
#include <math.h>

void standardise(double *data, int rows, int cols)
{
    for (int j = 0; j < cols; j++) {
        double mean = 0.0, var = 0.0;
        for (int i = 0; i < rows; i++) mean += data[i * cols + j];
        mean /= rows;
        for (int i = 0; i < rows; i++) {
            double d = data[i * cols + j] - mean;
            var += d * d;
        }
        double dev = sqrt(var / rows);
        for (int i = 0; i < rows; i++) data[i * cols + j] = (data[i * cols + j] - mean) / dev;
    }
}

static double table[2000 * 64];

int main(void)
{
    standardise(table, 2000, 64);
    return 0;
}
