// Principal components of expression profiles: covariance of genes by blocks, and scores of the samples.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SAMPLES = 1024, GENES = 192, COMPS = 12, TILE = 32;
static_assert(GENES % TILE == 0, "tiles must fit");

static double expr[SAMPLES][GENES];
static double mean[GENES];
static double cov[GENES][GENES];
static double axis[GENES][COMPS];
static double score[SAMPLES][COMPS];

void gene_means()
{
    std::fill_n(mean, GENES, 0.0);
    for (int s = 0; s < SAMPLES; ++s)
        for (int g = 0; g < GENES; ++g)
            mean[g] += expr[s][g];
    for (double& m : mean)
        m /= SAMPLES;
}

void covariance()
{
#pragma omp parallel for collapse(2)
    for (int gb = 0; gb < GENES; gb += TILE)
        for (int hb = 0; hb < GENES; hb += TILE)
            for (int g = gb; g < gb + TILE; ++g)
                for (int h = hb; h < hb + TILE; ++h) {
                    double acc = 0;
                    for (int s = 0; s < SAMPLES; ++s)
                        acc += (expr[s][g] - mean[g]) * (expr[s][h] - mean[h]);
                    cov[g][h] = acc / (SAMPLES - 1);
                }
}

void scores()
{
#pragma omp parallel for
    for (int s = 0; s < SAMPLES; ++s)
        for (int c = 0; c < COMPS; ++c) {
            double acc = 0;
            for (int g = 0; g < GENES; ++g)
                acc += (expr[s][g] - mean[g]) * axis[g][c];
            score[s][c] = acc;
        }
}

int main()
{
    for (auto& row : expr)
        for (double& v : row) v = std::rand() % 1000 * 0.001;
    for (auto& row : axis)
        for (double& v : row) v = std::rand() % 100 * 0.01 - 0.5;
    gene_means();
    covariance();
    scores();
    std::printf("%f %f %f\n", mean[0], cov[3][3], score[5][2]);
}
