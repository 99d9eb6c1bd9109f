/* Weights of a survey: raking to known margins, the design effect, jackknife replicates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 60000
#define CATS 12
#define REPS 60
#define NREP 20000

static unsigned char region[N], age[N];
static double weight[N];
static double region_total[CATS], age_total[CATS];
static float rep_weight[REPS][NREP], answer[NREP];
static float theta[REPS];

static void margin_totals(const unsigned char *cat, double *total)
{
    int i;
    for (i = 0; i < CATS; i++) total[i] = 0;
    for (i = 0; i < N; i++) total[cat[i]] += weight[i];
}

static void apply_margin(const unsigned char *cat, const double *target, const double *total)
{
    for (int i = 0; i < N; i++)
        weight[i] *= target[cat[i]] / total[cat[i]];
}

static int rake(const double *region_target, const double *age_target, double tolerance)
{
    int rounds = 0;
    double worst;
    do {
        margin_totals(region, region_total);
        apply_margin(region, region_target, region_total);
        margin_totals(age, age_total);
        apply_margin(age, age_target, age_total);
        margin_totals(region, region_total);
        worst = 0;
        for (int c = 0; c < CATS; c++) {
            double miss = fabs(region_total[c] - region_target[c]);
            if (miss > worst) worst = miss;
        }
        rounds++;
    } while (worst > tolerance && rounds < 100);
    return rounds;
}

static double kish_effect(void)
{
    double s = 0, s2 = 0;
    for (int i = 0; i < N; i++) {
        s += weight[i];
        s2 += weight[i] * weight[i];
    }
    return N * s2 / (s * s);
}

static void replicate_means(void)
{
    for (int r = 0; r < REPS; r++) {
        float num = 0, den = 0;
        for (int i = 0; i < NREP; i++) {
            float w = rep_weight[r][i];
            num += w * answer[i];
            den += w;
        }
        theta[r] = num / den;
    }
}

int main(void)
{
    double region_target[CATS], age_target[CATS];
    for (int i = 0; i < N; i++) {
        region[i] = (unsigned char)((i * 7) % CATS);
        age[i] = (unsigned char)((i / 11) % CATS);
        weight[i] = 1.0 + (i % 5) * 0.1;
    }
    for (int c = 0; c < CATS; c++) {
        region_target[c] = 5000.0 + 50.0 * c - 275.0;
        age_target[c] = 5000.0 - 40.0 * c + 220.0;
    }
    for (int r = 0; r < REPS; r++)
        for (int i = 0; i < NREP; i++) rep_weight[r][i] = i % REPS == r ? 0.0f : 1.0f + (i % 3);
    for (int i = 0; i < NREP; i++) answer[i] = (float)((i * 13) % 2);
    margin_totals(region, region_total);
    apply_margin(region, region_target, region_total);
    int rounds = rake(region_target, age_target, 1e-3);
    replicate_means();
    printf("%d %f %f\n", rounds, kish_effect(), theta[4]);
    return 0;
}
