#include <cmath>
#include <cstdio>
#include <vector>

struct Gto { double x, y, z, a; };
const int NB = 600;

// overlaps of normalised s functions
void overlap(const Gto* g, double* S)
{
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++) {
            double p = g[i].a + g[j].a;
            double dx = g[i].x - g[j].x, dy = g[i].y - g[j].y, dz = g[i].z - g[j].z;
            double q = 4 * g[i].a * g[j].a / (p * p);
            S[i * NB + j] = std::pow(q, 0.75) * std::exp(-(g[i].a * g[j].a / p) * (dx * dx + dy * dy + dz * dz));
        }
}

// populations by Mulliken: diag(P S)
void mulliken(const double* P, const double* S, double* pop)
{
    for (int i = 0; i < NB; i++) {
        pop[i] = 0;
        for (int j = 0; j < NB; j++)
            pop[i] += P[i * NB + j] * S[j * NB + i];
    }
}

// density of doubly occupied orbitals, C is basis x orbitals
void density(const double* C, int nocc, double* P)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++) {
            double s = 0;
            for (int k = 0; k < nocc; k++)
                s += C[i * NB + k] * C[j * NB + k];
            P[i * NB + j] = 2 * s;
        }
}

int main()
{
    std::vector<Gto> g(NB);
    for (int i = 0; i < NB; i++) g[i] = {0.3 * (i % 10), 0.3 * (i / 10 % 10), 0.3 * (i / 100), 0.4 + 0.1 * (i % 3)};
    std::vector<double> S(NB * NB), P(NB * NB), C(NB * NB), pop(NB);
    for (int i = 0; i < NB * NB; i++) C[i] = std::sin(i * 0.37) / 20;
    overlap(g.data(), S.data());
    density(C.data(), 48, P.data());
    mulliken(P.data(), S.data(), pop.data());
    std::printf("%f %f\n", S[1], pop[5]);
}
