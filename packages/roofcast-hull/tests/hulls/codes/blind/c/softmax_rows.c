#include <math.h>
#define ROWS 512
#define COLS 1000

void softmax(float m[ROWS][COLS])
{
    for (int r = 0; r < ROWS; r++) {
        float *row = m[r];
        float top = row[0];
        for (int c = 1; c < COLS; c++)
            top = row[c] > top ? row[c] : top;
        float sum = 0.0f;
        for (int c = 0; c < COLS; c++) {
            row[c] = expf(row[c] - top);
            sum += row[c];
        }
        for (int c = 0; c < COLS; c++)
            row[c] /= sum;
    }
}
