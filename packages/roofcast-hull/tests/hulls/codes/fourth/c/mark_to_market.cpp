#include <cmath>
#include <cstdio>
#include <vector>

// in the vendor's library, of which only the header is here
double curve_rate(double years);

void mark_to_market(const std::vector<double>& years, const std::vector<double>& payment, std::vector<double>& value)
{
    for (std::size_t i = 0; i < years.size(); ++i)
        value[i] = payment[i] * std::exp(-curve_rate(years[i]) * years[i]);
}

int main()
{
    std::vector<double> years(260000), payment(260000, 5.0), value(260000);
    for (std::size_t i = 0; i < years.size(); ++i)
        years[i] = 0.25 * static_cast<double>(i % 120);
    mark_to_market(years, payment, value);
    std::printf("%f\n", value[17]);
    return 0;
}
