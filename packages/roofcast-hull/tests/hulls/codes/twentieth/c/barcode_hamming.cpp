// Cell barcodes of 32 bases in two bits: nearest whitelisted code of each read, and base composition.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

using Code = std::uint64_t;
constexpr int kReads = 20000, kWhite = 768;

static inline int mismatches(Code a, Code b)
{
    Code x = a ^ b;
    x = (x | (x >> 1)) & 0x5555555555555555ull;
    return std::popcount(x);
}

void distances(const std::vector<Code>& read, const std::vector<Code>& white, std::vector<std::uint8_t>& d)
{
    std::size_t at = 0;
    for (Code r : read)
        for (Code w : white)
            d[at++] = static_cast<std::uint8_t>(mismatches(r, w));
}

void nearest(const std::vector<std::uint8_t>& d, std::vector<int>& best)
{
    for (int r = 0; r < kReads; ++r) {
        const std::uint8_t* row = d.data() + std::size_t(r) * kWhite;
        int arg = 0;
        for (int w = 1; w < kWhite; ++w)
            if (row[w] < row[arg])
                arg = w;
        best[r] = row[arg] <= 2 ? arg : -1;
    }
}

void tally(const std::vector<int>& best, std::vector<unsigned>& cells)
{
    for (int b : best) {
        if (b < 0) continue;
        ++cells[b];
    }
}

int main()
{
    std::vector<Code> read(kReads), white(kWhite);
    std::vector<std::uint8_t> d(std::size_t(kReads) * kWhite);
    std::vector<int> best(kReads);
    std::vector<unsigned> cells(kWhite);
    for (int i = 0; i < kWhite; ++i) white[i] = 0x9E3779B97F4A7C15ull * (i + 1);
    for (int i = 0; i < kReads; ++i) read[i] = white[i % 700] ^ (i % 3);
    distances(read, white, d);
    nearest(d, best);
    tally(best, cells);
    std::printf("%d %u\n", best[3], cells[5]);
}
