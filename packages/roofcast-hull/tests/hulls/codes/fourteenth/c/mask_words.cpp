// Column store: evaluate  price BETWEEN lo AND hi AND qty < q  into a bitmap, one word for 64 rows.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

constexpr std::size_t kRows = std::size_t{1} << 21;
constexpr std::size_t kWords = kRows / 64;

void select_rows(std::span<const int32_t> price, std::span<const int32_t> qty, std::span<uint64_t> bitmap,
                 int32_t lo, int32_t hi, int32_t q)
{
    for (std::size_t w = 0; w < kWords; ++w) {
        uint64_t word = 0;
        for (unsigned b = 0; b < 64; ++b) {
            const std::size_t row = w * 64 + b;
            const uint64_t keep = (price[row] >= lo) & (price[row] <= hi) & (qty[row] < q);
            word |= keep << b;
        }
        bitmap[w] = word;
    }
}

uint64_t count_selected(std::span<const uint64_t> bitmap)
{
    uint64_t n = 0;
    for (std::size_t w = 0; w < kWords; ++w) n += std::popcount(bitmap[w]);
    return n;
}

int main()
{
    std::vector<int32_t> price(kRows), qty(kRows);
    std::vector<uint64_t> bitmap(kWords);
    for (std::size_t i = 0; i < kRows; ++i) {
        price[i] = static_cast<int32_t>(i * 7919 % 10000);
        qty[i] = static_cast<int32_t>(i * 104729 % 50);
    }
    select_rows(price, qty, bitmap, 2500, 7500, 24);
    std::printf("%llu\n", static_cast<unsigned long long>(count_selected(bitmap)));
}
