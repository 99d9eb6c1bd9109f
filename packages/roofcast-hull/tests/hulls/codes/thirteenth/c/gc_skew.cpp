// Genome text: two bits a base, GC skew of overlapping windows, mismatches of mapped reads.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

constexpr int BASES = 1 << 22;
constexpr int WINDOW = 1000, STEP = 500;
constexpr int WINDOWS = (BASES - WINDOW) / STEP + 1;
constexpr int READS = 20000, LEN = 150;

static inline unsigned code(char c) { return (static_cast<unsigned>(c) >> 1) & 3u; }

void pack(const std::vector<char> &dna, std::vector<uint8_t> &bits) {
    for (int i = 0; i < BASES / 4; ++i) {
        const char *p = &dna[4 * i];
        bits[i] = code(p[0]) | code(p[1]) << 2 | code(p[2]) << 4 | code(p[3]) << 6;
    }
}

void skew(const std::vector<char> &dna, std::vector<float> &out) {
    for (int w = 0; w < WINDOWS; ++w) {
        int g = 0, c = 0;
        for (int j = 0; j < WINDOW; ++j) {
            g += dna[w * STEP + j] == 'G';
            c += dna[w * STEP + j] == 'C';
        }
        out[w] = g + c > 0 ? float(g - c) / float(g + c) : 0.0f;
    }
}

void mismatches(const std::vector<char> &dna, const std::vector<char> &reads, const std::vector<int> &pos,
                std::vector<int> &nm) {
    for (int r = 0; r < READS; ++r) {
        const char *ref = dna.data() + pos[r];
        const char *read = reads.data() + r * LEN;
        int bad = 0;
        for (int j = 0; j < LEN; ++j)
            if (ref[j] != read[j]) ++bad;
        nm[r] = bad;
    }
}

int main() {
    std::vector<char> dna(BASES), reads(READS * LEN);
    std::vector<uint8_t> bits(BASES / 4);
    std::vector<float> sk(WINDOWS);
    std::vector<int> pos(READS), nm(READS);
    const std::string letters = "ACGT";
    uint32_t s = 12345;
    for (auto &b : dna) {
        s = s * 1664525u + 1013904223u;
        b = letters[s >> 30];
    }
    for (int r = 0; r < READS; ++r) {
        pos[r] = (r * 197) % (BASES - LEN);
        for (int j = 0; j < LEN; ++j) reads[r * LEN + j] = dna[pos[r] + j + (j == 70)];
    }
    pack(dna, bits);
    skew(dna, sk);
    mismatches(dna, reads, pos, nm);
    std::printf("%d %g %d\n", bits[5], sk[17], nm[4]);
}
