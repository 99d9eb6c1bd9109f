// column store: small materialised aggregates of each row group, and how many groups a range predicate must open
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int ROWS = 1 << 22;
constexpr int GROUP = 4096;
constexpr int GROUPS = ROWS / GROUP;

struct Zone {
    int32_t lo, hi;
};

void build_zones(const int32_t *col, Zone *zones)
{
    for (int g = 0; g < GROUPS; ++g) {
        int32_t lo = INT32_MAX, hi = INT32_MIN;
        const int32_t *end = col + (g + 1) * GROUP;
        for (const int32_t *p = col + g * GROUP; p != end; ++p) {
            lo = std::min(lo, *p);
            hi = std::max(hi, *p);
        }
        zones[g].lo = lo;
        zones[g].hi = hi;
    }
}

int count_open(const Zone *zones, int32_t from, int32_t to)
{
    int open = 0;
    for (int g = 0; g < GROUPS; ++g)
        if (zones[g].lo <= to && zones[g].hi >= from)
            open += 1;
    return open;
}

int main()
{
    std::vector<int32_t> col(ROWS);
    std::vector<Zone> zones(GROUPS);
    for (int i = 0; i < ROWS; ++i) col[i] = i / 7 + (int(i * 48271u & 1023u));
    build_zones(col.data(), zones.data());
    std::printf("%d\n", count_open(zones.data(), 100000, 120000));
}
