#include <math.h>
#include <stdio.h>

/* One step of an Elman network for a batch, and the gradient of its input weights. */

#define B 128
#define NX 96
#define NH 160

float x[B][NX], h[B][NH], hn[B][NH], dpre[B][NH];
float Wx[NX][NH], Wh[NH][NH], bh[NH], dWx[NX][NH];

void step(void)
{
    int i, j, k;
    for (i = 0; i < B; i++) {
        for (j = 0; j < NH; j++) {
            float a = bh[j];
            for (k = 0; k < NX; k++)
                a += x[i][k] * Wx[k][j];
            for (k = 0; k < NH; k++)
                a += h[i][k] * Wh[k][j];
            hn[i][j] = tanhf(a);
        }
    }
}

void back_through_tanh(float dh[B][NH])
{
    int i, j;
    for (i = 0; i < B; i++)
        for (j = 0; j < NH; j++)
            dpre[i][j] = dh[i][j] * (1.0f - hn[i][j] * hn[i][j]);
}

void input_weights(void)
{
    int i, j, k;
    for (k = 0; k < NX; k++)
        for (j = 0; j < NH; j++)
            dWx[k][j] = 0.0f;
    for (i = 0; i < B; i++)
        for (k = 0; k < NX; k++)
            for (j = 0; j < NH; j++)
                dWx[k][j] += x[i][k] * dpre[i][j];
}

int main(void)
{
    static float dh[B][NH];
    int i, j;
    for (i = 0; i < B; i++) {
        for (j = 0; j < NX; j++) x[i][j] = sinf(i + 0.3f * j);
        for (j = 0; j < NH; j++) { h[i][j] = 0.1f; dh[i][j] = cosf(i * j * 0.01f); }
    }
    for (i = 0; i < NX; i++)
        for (j = 0; j < NH; j++) Wx[i][j] = 0.05f * sinf(i * 7 + j);
    for (i = 0; i < NH; i++)
        for (j = 0; j < NH; j++) Wh[i][j] = 0.05f * cosf(i * 5 + j);
    step();
    back_through_tanh(dh);
    input_weights();
    printf("%f %f\n", hn[3][4], dWx[5][6]);
    return 0;
}
