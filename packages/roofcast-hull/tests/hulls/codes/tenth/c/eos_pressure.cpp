// Equation-of-state loops of a Lagrangian hydro code (two passes over the zones).
// Usage: ./eos_pressure [repeats]
// Classes by hand; operations counted with a self-counting number type at full size.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Index = int;
using Real = double;

static const Index ZONES = 500000;

// p = bvc * e_old, cut off at small and minimal values; bvc = cls * (compression + 1)
void pressure_calc(Real* __restrict__ bvc, Real* __restrict__ p_new, const Real* __restrict__ compression,
                   const Real* __restrict__ e_old, const Real* __restrict__ vnewc, Real cls, Real p_cut, Real pmin,
                   Real eosvmax)
{
    for (Index i = 0; i < ZONES; ++i) {
        bvc[i] = cls * (compression[i] + 1.0);
    }

    for (Index i = 0; i < ZONES; ++i) {
        p_new[i] = bvc[i] * e_old[i];
        if (std::fabs(p_new[i]) < p_cut) p_new[i] = 0.0;
        if (vnewc[i] >= eosvmax) p_new[i] = 0.0;
        if (p_new[i] < pmin) p_new[i] = pmin;
    }
}

// artificial viscosity limited by the sound speed
void viscosity_calc(Real* __restrict__ q_new, const Real* __restrict__ p, const Real* __restrict__ e,
                    const Real* __restrict__ bvc, const Real* __restrict__ ql, const Real* __restrict__ qq, Real rho0)
{
#pragma omp parallel for simd
    for (Index i = 0; i < ZONES; ++i) {
        Real ss = (bvc[i] * e[i] + p[i]) / rho0;
        ss = std::sqrt(ss);
        q_new[i] = ss * ql[i] + qq[i];
    }
}

int main(int argc, char** argv)
{
    const int reps = argc > 1 ? std::atoi(argv[1]) : 10;
    std::vector<Real> bvc(ZONES), p(ZONES), comp(ZONES), e(ZONES), v(ZONES), q(ZONES), ql(ZONES), qq(ZONES);
    for (Index i = 0; i < ZONES; ++i) {
        comp[i] = 0.001 * (i % 97);
        e[i] = 1.0 + 0.01 * (i % 31);
        v[i] = 0.9 + 0.001 * (i % 11);
        ql[i] = 0.1;
        qq[i] = 0.02 * (i % 5);
    }
    auto t0 = std::chrono::steady_clock::now();
    for (int r = 0; r < reps; ++r) {
        pressure_calc(bvc.data(), p.data(), comp.data(), e.data(), v.data(), 2.0 / 3.0, 1.0e-7, 0.0, 1.0e9);
        viscosity_calc(q.data(), p.data(), e.data(), bvc.data(), ql.data(), qq.data(), 1.3);
    }
    auto t1 = std::chrono::steady_clock::now();
    std::printf("p[7]=%g q[7]=%g %.3f ms\n", p[7], q[7], std::chrono::duration<float, std::milli>(t1 - t0).count());
    return 0;
}
