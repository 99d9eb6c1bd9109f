// Order lines of a warehouse: dictionary coded columns, priced and summed per region.
#include <cstdint>
#include <iostream>
#include <random>
#include <span>
#include <vector>

constexpr std::size_t LINES = 1'000'000;
constexpr std::size_t ITEMS = 20'000;
constexpr std::size_t REGIONS = 64;

struct Columns {
    std::vector<std::uint32_t> item;
    std::vector<std::uint16_t> qty;
    std::vector<std::uint8_t> region;
    std::vector<float> total;
};

void price(std::span<const std::uint32_t> item, std::span<const std::uint16_t> qty,
           std::span<const float> list, std::span<float> total)
{
    for (std::size_t i = 0; i < item.size(); ++i)
        total[i] = list[item[i]] * static_cast<float>(qty[i]);
}

void by_region(const Columns& c, std::vector<double>& turnover)
{
    for (std::size_t i = 0; i < LINES; ++i)
        turnover[c.region[i]] += c.total[i];
}

std::size_t bulk_orders(const Columns& c)
{
    std::size_t n = 0;
    for (std::size_t i = 0; i < LINES; ++i)
        n += c.qty[i] >= 100 && c.region[i] != 0;
    return n;
}

int main()
{
    std::mt19937 g(1);
    Columns c{std::vector<std::uint32_t>(LINES), std::vector<std::uint16_t>(LINES),
              std::vector<std::uint8_t>(LINES), std::vector<float>(LINES)};
    std::vector<float> list(ITEMS);
    std::vector<double> turnover(REGIONS);
    for (auto& p : list) p = float(g() % 9999) / 100;
    for (std::size_t i = 0; i < LINES; ++i) {
        c.item[i] = g() % ITEMS;
        c.qty[i] = g() % 200;
        c.region[i] = g() % REGIONS;
    }
    price(c.item, c.qty, list, c.total);
    by_region(c, turnover);
    std::cout << turnover[3] << ' ' << bulk_orders(c) << '\n';
}
