// Ranks ticket requests: by price, then short queues at each gate.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

using Gate = std::array<uint16_t, 16>;
constexpr std::size_t kRequests = 1 << 19;
constexpr std::size_t kGates = 20000;

void rank_bids(std::vector<float>& bid)
{
    std::sort(bid.begin(), bid.end());
}

void settle_gates(std::vector<Gate>& gates)
{
    for (Gate& g : gates)
        for (int i = 1; i < 16; ++i)
            for (int j = 0; j < 16 - i; ++j)
                if (g[j] > g[j + 1])
                    std::swap(g[j], g[j + 1]);
}

// Ciura's gaps
void shell(std::vector<uint32_t>& id)
{
    for (std::size_t gap : {701u, 301u, 132u, 57u, 23u, 10u, 4u, 1u})
        for (std::size_t i = gap; i < id.size(); ++i) {
            uint32_t v = id[i];
            std::size_t j = i;
            for (; j >= gap && id[j - gap] > v; j -= gap)
                id[j] = id[j - gap];
            id[j] = v;
        }
}

int main()
{
    std::mt19937 rng(4);
    std::vector<float> bid(kRequests);
    std::vector<Gate> gates(kGates);
    std::vector<uint32_t> id(4096);
    for (auto& b : bid) b = float(rng() % 100000) / 100;
    for (auto& g : gates)
        for (auto& t : g) t = uint16_t(rng());
    for (auto& i : id) i = rng();
    rank_bids(bid);
    settle_gates(gates);
    shell(id);
    std::printf("%g %u %u\n", bid.back(), gates[5][0], id[0]);
}
