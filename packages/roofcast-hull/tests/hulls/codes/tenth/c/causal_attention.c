/* Forward pieces of a small GPT in plain C: token + position embedding, and causal attention scores.
 * Not vectorised, meant to be read. Operations by hand (triangular sums), self-counting run at the full size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int B = 2, T = 64, C = 128, NH = 4, V = 1000;

/* out (B,T,C) = wte[token] + wpe[t] */
void encoder_forward(float *out, int *inp, float *wte, float *wpe, int B, int T, int C)
{
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            float *out_bt = out + b * T * C + t * C;
            int ix = inp[b * T + t];
            float *wte_ix = wte + ix * C;
            float *wpe_t = wpe + t * C;
            for (int i = 0; i < C; i++) {
                out_bt[i] = wte_ix[i] + wpe_t[i];
            }
        }
    }
}

/* qkv is (B,T,3C); preatt holds (B,NH,T,T); only t2 <= t written */
void scores_forward(float *preatt, float *qkv, int B, int T, int C, int NH)
{
    int C3 = C * 3;
    int hs = C / NH;
    float scale = 1.0f / sqrtf((float)hs);

#pragma omp parallel for collapse(3)
    for (int b = 0; b < B; b++) {
        for (int t = 0; t < T; t++) {
            for (int h = 0; h < NH; h++) {
                float *query_t = qkv + b * T * C3 + t * C3 + h * hs;
                float *preatt_bth = preatt + b * NH * T * T + h * T * T + t * T;
                for (int t2 = 0; t2 < T; t2++) {
                    if (t2 > t) {
                        preatt_bth[t2] = -10000.0f;
                        continue;
                    }
                    float *key_t2 = qkv + b * T * C3 + t2 * C3 + h * hs + C; /* +C: the key */
                    float val = 0.0f;
                    for (int i = 0; i < hs; i++) {
                        val += query_t[i] * key_t2[i];
                    }
                    preatt_bth[t2] = val * scale;
                }
            }
        }
    }
}

/* loss gradient of the residual branch: dinp1 += dout, dinp2 += dout */
void residual_backward(float *dinp1, float *dinp2, float *dout, int N)
{
    for (int i = 0; i < N; i++) {
        dinp1[i] += dout[i];
        dinp2[i] += dout[i];
    }
}

int main(void)
{
    float *wte = malloc(V * C * sizeof(float)), *wpe = malloc(T * C * sizeof(float));
    float *x = malloc(B * T * C * sizeof(float)), *qkv = malloc(B * T * 3 * C * sizeof(float));
    float *att = malloc(B * NH * T * T * sizeof(float));
    float *d1 = calloc(B * T * C, sizeof(float)), *d2 = calloc(B * T * C, sizeof(float));
    int *tok = malloc(B * T * sizeof(int));
    for (int i = 0; i < V * C; i++) wte[i] = (i % 101) * 0.01f;
    for (int i = 0; i < T * C; i++) wpe[i] = (i % 17) * 0.02f;
    for (int i = 0; i < B * T * 3 * C; i++) qkv[i] = (i % 23) * 0.03f - 0.3f;
    for (int i = 0; i < B * T; i++) tok[i] = (i * 7919) % V;

    encoder_forward(x, tok, wte, wpe, B, T, C);
    scores_forward(att, qkv, B, T, C, NH);
    residual_backward(d1, d2, x, B * T * C);
    printf("%f %f %f\n", x[C + 3], att[T + 1], d2[9]);
    free(wte); free(wpe); free(x); free(qkv); free(att); free(d1); free(d2); free(tok);
    return 0;
}
