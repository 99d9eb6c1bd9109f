// tryptic peptides against one spectrum
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>

namespace {
constexpr int kPeptides = 50000, kLen = 20, kTheo = 3000, kPeaks = 800;
constexpr double kWater = 18.010565, kProton = 1.007276;

struct Digest {
    std::unique_ptr<char[]> seq{new char[kPeptides * kLen]};
    std::unique_ptr<double[]> mz{new double[kPeptides]};
    double residue[26];
};
}

void precursor_mz(Digest& d)
{
    const char* s = d.seq.get();
    for (int p = 0; p < kPeptides; ++p, s += kLen) {
        double m = kWater;
        for (int i = 0; i < kLen; ++i)
            m += d.residue[s[i] - 'A'];
        d.mz[p] = 0.5 * m + kProton;
    }
}

// how many peaks lie within the tolerance of each theoretical one
void matches(const double (&theo)[kTheo], const double (&peak)[kPeaks], uint16_t (&hits)[kTheo])
{
    for (int t = 0; t < kTheo; ++t) {
        uint16_t n = 0;
        for (const double q : peak)
            if (std::fabs(q - theo[t]) < 0.02)
                ++n;
        hits[t] = n;
    }
}

int main()
{
    Digest d;
    for (int i = 0; i < 26; ++i) d.residue[i] = 57.02 + 5.1 * i;
    for (int i = 0; i < kPeptides * kLen; ++i) d.seq[i] = "ACDEFGHIKLMNPQRSTVWY"[(i * 7 + i / 31) % 20];
    precursor_mz(d);
    static double theo[kTheo], peak[kPeaks];
    static uint16_t hits[kTheo];
    for (int i = 0; i < kTheo; ++i) theo[i] = 100 + 0.5 * i;
    for (int i = 0; i < kPeaks; ++i) peak[i] = 100 + 1.5 * i + 0.01 * (i % 5);
    matches(theo, peak, hits);
    std::printf("%f %d\n", d.mz[11], hits[3]);
}
