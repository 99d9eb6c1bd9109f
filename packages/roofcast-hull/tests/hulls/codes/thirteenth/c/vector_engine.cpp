// Operators of a little column store; each works on whole columns.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr std::size_t ROWS = std::size_t(1) << 22;
constexpr int GROUPS = 64, WORDS = 5000;

template <class T>
using Column = std::vector<T>;

void select_between(const Column<int32_t> &day, int32_t lo, int32_t hi, Column<uint8_t> &sel) {
    for (std::size_t i = 0; i < ROWS; ++i) sel[i] = (day[i] >= lo) & (day[i] < hi);
}

int64_t discounted_total(const Column<uint8_t> &sel, const Column<int32_t> &cents, const Column<uint8_t> &percent) {
    int64_t total = 0;
    for (std::size_t i = 0; i < ROWS; ++i)
        if (sel[i]) total += int64_t(cents[i]) * (100 - percent[i]);
    return total;
}

struct Groups {
    std::array<int64_t, GROUPS> sum;
    std::array<int32_t, GROUPS> count;
};

void group_by(const Column<uint8_t> &key, const Column<int32_t> &cents, Groups &g) {
    g.sum.fill(0);
    g.count.fill(0);
    for (std::size_t i = 0; i < ROWS; ++i) {
        g.sum[key[i]] += cents[i];
        g.count[key[i]] += 1;
    }
}

void decode_dictionary(const Column<uint16_t> &codes, const Column<double> &dict, Column<double> &out) {
    const uint16_t *c = codes.data();
    for (double *o = out.data(), *end = o + ROWS; o != end; ++o, ++c) *o = dict[*c];
}

int main() {
    Column<int32_t> day(ROWS), cents(ROWS);
    Column<uint8_t> percent(ROWS), sel(ROWS), key(ROWS);
    Column<uint16_t> codes(ROWS);
    Column<double> dict(WORDS), plain(ROWS);
    for (std::size_t i = 0; i < ROWS; ++i) {
        day[i] = int32_t(i * 7919 % 2500);
        cents[i] = int32_t(i % 9973);
        percent[i] = i % 11;
        key[i] = i * 31 % GROUPS;
        codes[i] = i * 13 % WORDS;
    }
    for (int w = 0; w < WORDS; ++w) dict[w] = 0.25 * w;
    Groups g;
    select_between(day, 365, 730, sel);
    const int64_t t = discounted_total(sel, cents, percent);
    group_by(key, cents, g);
    decode_dictionary(codes, dict, plain);
    std::printf("%lld %lld %d %g\n", (long long)t, (long long)g.sum[5], g.count[5], plain[1000]);
}
