/* Goertzel detector of keypad tones on many lines at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LINES 512
#define BLOCK 205
#define TONES 8

static const double hz[TONES] = { 697, 770, 852, 941, 1209, 1336, 1477, 1633 };
static float pcm[LINES][BLOCK];
static float coef[TONES];
static float power[LINES][TONES];
static signed char key[LINES];

static void goertzel(void)
{
    int line, k, n;
    for (line = 0; line < LINES; line++) {
        for (k = 0; k < TONES; k++) {
            float s1 = 0, s2 = 0, s0;
            for (n = 0; n < BLOCK; n++) {
                s0 = pcm[line][n] + coef[k] * s1 - s2;
                s2 = s1;
                s1 = s0;
            }
            power[line][k] = s1 * s1 + s2 * s2 - coef[k] * s1 * s2;
        }
    }
}

static void decide(void)
{
    for (int line = 0; line < LINES; line++) {
        int row = 0, col = 4;
        for (int k = 1; k < 4; k++)
            if (power[line][k] > power[line][row]) row = k;
        for (int k = 5; k < 8; k++)
            if (power[line][k] > power[line][col]) col = k;
        key[line] = (signed char)(row * 4 + col - 4);
    }
}

int main(void)
{
    for (int k = 0; k < TONES; k++)
        coef[k] = (float)(2 * cos(2 * M_PI * hz[k] / 8000));
    for (int l = 0; l < LINES; l++)
        for (int n = 0; n < BLOCK; n++)
            pcm[l][n] = (float)(sin(2 * M_PI * hz[l & 3] * n / 8000) + sin(2 * M_PI * hz[4 + (l >> 2 & 3)] * n / 8000));
    goertzel();
    decide();
    printf("%d %d %d\n", key[0], key[6], key[15]);
    return 0;
}
