// Excess-of-loss reinsurance: what each layer pays in each simulated year, and its price.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

using Row = std::vector<double>;
using Table = std::vector<Row>;

struct Layer {
    double attachment;
    double limit;
    double pays(double loss) const { return std::min(std::max(loss - attachment, 0.0), limit); }
};

constexpr std::size_t kYears = 400;
constexpr std::size_t kClaims = 250;
constexpr std::size_t kLayers = 5;

void cede(const Table& loss, const Layer* programme, Table& ceded) {
    for (std::size_t y = 0; y < kYears; ++y)
        for (std::size_t l = 0; l < kLayers; ++l) {
            double paid = 0.0;
            for (std::size_t c = 0; c < kClaims; ++c)
                paid += programme[l].pays(loss[y][c]);
            ceded[y][l] = paid;
        }
}

void burn_cost(const Table& ceded, Row& cost) {
    constexpr double deductible = 2.0e6;
    for (std::size_t l = 0; l < kLayers; ++l) {
        double sum = 0.0;
        for (std::size_t y = kYears; y-- > 0;)
            sum += std::max(ceded[y][l] - deductible, 0.0);
        cost[l] = sum / kYears;
    }
}

int main() {
    Table loss(kYears, Row(kClaims)), ceded(kYears, Row(kLayers));
    Row cost(kLayers);
    const Layer programme[kLayers] = {
        {1.0e5, 1.0e5}, {2.0e5, 3.0e5}, {5.0e5, 5.0e5}, {1.0e6, 2.0e6}, {3.0e6, 7.0e6}};

    for (std::size_t y = 0; y < kYears; ++y)
        for (std::size_t c = 0; c < kClaims; ++c)
            loss[y][c] = 2.0e7 / (1.0 + (y * 7919 + c * 104729) % 1999);
    cede(loss, programme, ceded);
    burn_cost(ceded, cost);
    for (double c : cost)
        std::printf("%.1f ", c);
    std::printf("\n");
}
