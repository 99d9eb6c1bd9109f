#include <iostream>
#include <numeric>
#include <vector>

// price of a year of minutes, weighed by what was traded in each
double vwap(const std::vector<double>& price, const std::vector<double>& volume)
{
    const double traded = std::inner_product(price.begin(), price.end(), volume.begin(), 0.0);
    const double shares = std::accumulate(volume.begin(), volume.end(), 0.0);
    return traded / shares;
}

int main()
{
    constexpr int minutes = 390, days = 252;
    std::vector<double> price(minutes * days, 100.0), volume(minutes * days, 1500.0);
    for (std::size_t i = 1; i < price.size(); ++i) {
        price[i] = price[i - 1] + (i % 2 ? 0.01 : -0.009);
        volume[i] = 1000.0 + i % 777;
    }
    std::cout << vwap(price, volume) << std::endl;
}
