/* Recursive (IIR) Deriche smoothing along the rows of an image: causal pass, anticausal pass, sum.
 * Counted by a self-counting number at full size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define W 720
#define H 480

static float img_in[H][W], img_out[H][W], yc[H][W], ya[H][W];

void deriche_horizontal(float alpha)
{
    int i, j;
    float xm1, ym1, ym2, xp1, xp2, yp1, yp2;
    float k = (1.0f - expf(-alpha)) * (1.0f - expf(-alpha)) / (1.0f + 2.0f * alpha * expf(-alpha) - expf(2.0f * alpha));
    float a1 = k, a2 = k * expf(-alpha) * (alpha - 1.0f);
    float a3 = k * expf(-alpha) * (alpha + 1.0f), a4 = -k * expf(-2.0f * alpha);
    float b1 = powf(2.0f, -alpha), b2 = -expf(-2.0f * alpha);

    for (i = 0; i < H; i++) {
        ym1 = 0.0f;
        ym2 = 0.0f;
        xm1 = 0.0f;
        for (j = 0; j < W; j++) {
            yc[i][j] = a1 * img_in[i][j] + a2 * xm1 + b1 * ym1 + b2 * ym2;
            xm1 = img_in[i][j];
            ym2 = ym1;
            ym1 = yc[i][j];
        }
    }

    for (i = 0; i < H; i++) {
        yp1 = 0.0f;
        yp2 = 0.0f;
        xp1 = 0.0f;
        xp2 = 0.0f;
        for (j = W - 1; j >= 0; j--) {
            ya[i][j] = a3 * xp1 + a4 * xp2 + b1 * yp1 + b2 * yp2;
            xp2 = xp1;
            xp1 = img_in[i][j];
            yp2 = yp1;
            yp1 = ya[i][j];
        }
    }

    for (i = 0; i < H; i++)
        for (j = 0; j < W; j++)
            img_out[i][j] = yc[i][j] + ya[i][j];
}

int main(int argc, char **argv)
{
    float alpha = argc > 1 ? (float)atof(argv[1]) : 0.25f;
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++)
            img_in[i][j] = (float)((313 * i + 991 * j) % 65536) / 65535.0f;
    deriche_horizontal(alpha);
    printf("%f\n", img_out[H / 2][W / 2]);
    return 0;
}
