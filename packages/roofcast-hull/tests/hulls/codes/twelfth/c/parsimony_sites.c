#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SITES 20000
#define RATES 4
#define STATES 4
#define PATTERNS 100000

typedef float partial_t[RATES][STATES];

/* one inner node of Fitch's parsimony: sets of bases as bits */
void fitch_node(const uint8_t *left, const uint8_t *right, uint8_t *node, int32_t *changes)
{
    for (int i = 0; i < PATTERNS; i++) {
        uint8_t both = left[i] & right[i];
        if (both == 0) {
            both = left[i] | right[i];
            changes[i] += 1;
        }
        node[i] = both;
    }
}

/* partial likelihoods of a node from one child's branch and the other child's branch */
void node_partials(partial_t *a, partial_t *b, float P[RATES][STATES][STATES],
                   float Q[RATES][STATES][STATES], partial_t *out)
{
    for (int s = 0; s < SITES; s++)
        for (int r = 0; r < RATES; r++)
            for (int i = 0; i < STATES; i++) {
                float la = 0.0f, lb = 0.0f;
                for (int j = 0; j < STATES; j++) {
                    la += P[r][i][j] * a[s][r][j];
                    lb += Q[r][i][j] * b[s][r][j];
                }
                out[s][r][i] = la * lb;
            }
}

float root_loglik(partial_t *root, const float *freq, const float *weight)
{
    float total = 0.0f;
    for (int s = 0; s < SITES; s++) {
        float site = 0.0f;
        for (int r = 0; r < RATES; r++)
            for (int i = 0; i < STATES; i++)
                site += freq[i] * root[s][r][i];
        total += weight[s] * logf(site * 0.25f);
    }
    return total;
}

static uint8_t l8[PATTERNS], r8[PATTERNS], n8[PATTERNS];
static int32_t changes[PATTERNS];
static partial_t pa[SITES], pb[SITES], pc[SITES];
static float weight[SITES];

int main(void)
{
    float P[RATES][STATES][STATES], Q[RATES][STATES][STATES];
    const float freq[STATES] = {0.3f, 0.2f, 0.2f, 0.3f};
    for (int i = 0; i < PATTERNS; i++) {
        l8[i] = (uint8_t)(1 << (i % 4));
        r8[i] = (uint8_t)(1 << ((i / 3) % 4));
    }
    for (int r = 0; r < RATES; r++)
        for (int i = 0; i < STATES; i++)
            for (int j = 0; j < STATES; j++) {
                float t = 0.05f * (float)(r + 1);
                P[r][i][j] = i == j ? 1.0f - 3.0f * t : t;
                Q[r][i][j] = i == j ? 1.0f - 2.4f * t : 0.8f * t;
            }
    for (int s = 0; s < SITES; s++) {
        weight[s] = 1.0f + (float)(s % 3);
        for (int r = 0; r < RATES; r++) {
            pa[s][r][s % 4] = 1.0f;
            pb[s][r][(s / 2) % 4] = 1.0f;
        }
    }
    fitch_node(l8, r8, n8, changes);
    node_partials(pa, pb, P, Q, pc);
    printf("%d %f\n", changes[7], root_loglik(pc, freq, weight));
    return 0;
}
