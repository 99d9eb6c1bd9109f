// League tables: sort each player's averages, order all visits of the season, and the running total that the bar owes.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

static const int PLAYERS = 640;
static const int LEGS = 128;
static const int VISITS = 1 << 20;

void order_legs(std::vector<float>& avg)
{
#pragma omp parallel for
    for (int p = 0; p < PLAYERS; ++p)
        std::sort(avg.begin() + p * LEGS, avg.begin() + (p + 1) * LEGS);
}

// mean of the middle half of an ordered row
void middle_mean(const std::vector<float>& avg, std::vector<float>& mid)
{
    for (int p = 0; p < PLAYERS; ++p) {
        auto first = avg.begin() + p * LEGS + LEGS / 4;
        mid[p] = std::accumulate(first, first + LEGS / 2, 0.0f) / (LEGS / 2);
    }
}

void order_season(std::vector<int>& visits)
{
    std::sort(visits.begin(), visits.begin() + VISITS);
}

void running_tab(const std::vector<int>& visits, std::vector<long long>& tab)
{
    long long owed = 0;
    for (int i = 0; i < VISITS; ++i) {
        owed += visits[i];
        tab[i] = owed;
    }
}

int main()
{
    std::mt19937 g(180);
    std::vector<float> avg(PLAYERS * LEGS), mid(PLAYERS);
    std::vector<int> visits(VISITS);
    std::vector<long long> tab(VISITS);
    for (auto& a : avg) a = 20.f + g() % 6000 * 0.01f;
    for (auto& v : visits) v = g() % 181;
    order_legs(avg);
    middle_mean(avg, mid);
    running_tab(visits, tab);
    order_season(visits);
    std::printf("%f %d %lld\n", mid[3], visits[VISITS / 2], tab.back());
}
