// Scores of many pairs of protein fragments: without gaps, and the best local one.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int PAIRS = 20000, LEN = 64, LETTERS = 24, GAP = 6;
using Residues = std::vector<uint8_t>;

int8_t score[LETTERS][LETTERS];

void gapless(const Residues &a, const Residues &b, std::vector<int> &out) {
    for (int p = 0; p < PAIRS; ++p) {
        int s = 0;
        const uint8_t *x = &a[p * LEN], *y = &b[p * LEN];
        for (int i = 0; i < LEN; ++i) s += score[x[i]][y[i]];
        out[p] = s;
    }
}

void local_best(const Residues &a, const Residues &b, std::vector<int> &out) {
    for (int p = 0; p < PAIRS; ++p) {
        int row[LEN + 1] = {0};
        int best = 0;
        for (int i = 0; i < LEN; ++i) {
            const int8_t *sub = score[a[p * LEN + i]];
            int diag = 0;
            for (int j = 1; j <= LEN; ++j) {
                const int up = row[j];
                int h = diag + sub[b[p * LEN + j - 1]];
                h = std::max(h, up - GAP);
                h = std::max(h, row[j - 1] - GAP);
                h = std::max(h, 0);
                best = std::max(best, h);
                diag = up;
                row[j] = h;
            }
        }
        out[p] = best;
    }
}

int main() {
    Residues a(PAIRS * LEN), b(PAIRS * LEN);
    std::vector<int> flat(PAIRS), local(PAIRS);
    for (int i = 0; i < LETTERS; ++i)
        for (int j = 0; j < LETTERS; ++j) score[i][j] = i == j ? 5 : (i * j) % 5 - 3;
    for (int i = 0; i < PAIRS * LEN; ++i) {
        a[i] = (i * 2654435761u >> 20) % LETTERS;
        b[i] = i % 9 ? a[i] : (a[i] + 3) % LETTERS;
    }
    gapless(a, b, flat);
    local_best(a, b, local);
    std::printf("%d %d\n", flat[11], local[11]);
}
