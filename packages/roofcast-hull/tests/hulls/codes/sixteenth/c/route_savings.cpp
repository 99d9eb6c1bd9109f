// Planning of rounds: savings of joining two customers, the nearest depot, load along a round.
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

struct Point { float x, y; };

constexpr int kStops = 900;
constexpr int kCustomers = 20000;
constexpr int kDepots = 12;

using Depots = std::array<Point, kDepots>;

// Row and column 0 of the distances are the depot.
void savings(const std::vector<float>& dist, std::vector<float>& gain)
{
    const auto D = [&](int i, int j) { return dist[i * (kStops + 1) + j]; };
    for (int i = 1; i <= kStops; ++i)
        for (int j = 1; j <= kStops; ++j)
            gain[(i - 1) * kStops + (j - 1)] = D(i, 0) + D(0, j) - D(i, j);
}

void nearest_depot(const std::vector<Point>& who, const Depots& depots, std::vector<int>& which)
{
    for (int c = 0; c < kCustomers; ++c) {
        const auto [cx, cy] = who[c];
        float least = 1e30f;
        int best = -1;
        for (int d = 0; d < kDepots; ++d) {
            const float dx = cx - depots[d].x, dy = cy - depots[d].y;
            const float sq = dx * dx + dy * dy;
            if (sq < least) {
                least = sq;
                best = d;
            }
        }
        which[c] = best;
    }
}

void running_load(const std::vector<int>& demand, std::vector<int>& load)
{
    std::partial_sum(demand.begin(), demand.end(), load.begin());
}

int main()
{
    std::vector<float> dist((kStops + 1) * (kStops + 1)), gain(kStops * kStops);
    for (int i = 0; i <= kStops; ++i)
        for (int j = 0; j <= kStops; ++j)
            dist[i * (kStops + 1) + j] = std::fabs(0.1f * (i - j)) + (i + j) % 7;
    savings(dist, gain);

    std::vector<Point> who(kCustomers);
    std::vector<int> which(kCustomers), demand(kCustomers), load(kCustomers);
    for (int c = 0; c < kCustomers; ++c) {
        who[c] = {0.01f * (c % 4000), 0.02f * (c % 1733)};
        demand[c] = 1 + c % 5;
    }
    Depots depots{};
    for (int d = 0; d < kDepots; ++d)
        depots[d] = {3.0f * d, 30.0f - 2.0f * d};
    nearest_depot(who, depots, which);
    running_load(demand, load);
    std::printf("%g %d %d\n", gain[77], which[99], load[999]);
}
