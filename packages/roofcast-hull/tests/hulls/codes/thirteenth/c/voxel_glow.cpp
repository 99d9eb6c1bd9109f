// Light in a world of blocks: spreading by one step, the sky's columns, flooding of a cave.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

static const int N = 128;
using Bytes = std::vector<uint8_t>;

static inline int at(int y, int z, int x) { return (y * N + z) * N + x; }

void spread(const Bytes &solid, const Bytes &light, Bytes &next) {
    for (int y = 1; y < N - 1; ++y)
        for (int z = 1; z < N - 1; ++z)
            for (int x = 1; x < N - 1; ++x) {
                const int i = at(y, z, x);
                if (solid[i]) {
                    next[i] = 0;
                    continue;
                }
                int m = light[i];
                m = std::max(m, light[i - 1] - 1);
                m = std::max(m, light[i + 1] - 1);
                m = std::max(m, light[i - N] - 1);
                m = std::max(m, light[i + N] - 1);
                m = std::max(m, light[i - N * N] - 1);
                m = std::max(m, light[i + N * N] - 1);
                next[i] = static_cast<uint8_t>(m);
            }
}

void sky_tops(const Bytes &solid, std::vector<int> &top) {
    for (int z = 0; z < N; ++z)
        for (int x = 0; x < N; ++x) {
            int y = N - 1;
            while (y >= 0 && !solid[at(y, z, x)]) --y;
            top[z * N + x] = y;
        }
}

int flood(const Bytes &solid, Bytes &seen, int y, int z, int x, int depth) {
    if (y < 0 || z < 0 || x < 0 || y >= N || z >= N || x >= N || depth == 0) return 0;
    const int i = at(y, z, x);
    if (solid[i] || seen[i]) return 0;
    seen[i] = 1;
    int n = 1;
    n += flood(solid, seen, y - 1, z, x, depth - 1);
    n += flood(solid, seen, y + 1, z, x, depth - 1);
    n += flood(solid, seen, y, z - 1, x, depth - 1);
    n += flood(solid, seen, y, z + 1, x, depth - 1);
    n += flood(solid, seen, y, z, x - 1, depth - 1);
    n += flood(solid, seen, y, z, x + 1, depth - 1);
    return n;
}

int main() {
    Bytes solid(N * N * N), light(N * N * N), next(N * N * N), seen(N * N * N);
    std::vector<int> top(N * N);
    for (int y = 0; y < N; ++y)
        for (int z = 0; z < N; ++z)
            for (int x = 0; x < N; ++x) {
                solid[at(y, z, x)] = y < 40 + (x * z) % 23;
                light[at(y, z, x)] = y == N - 2 ? 15 : (x + z) % 97 == 0 ? 12 : 1;
            }
    spread(solid, light, next);
    sky_tops(solid, top);
    std::printf("%d %d %d\n", next[at(100, 9, 9)], top[777], flood(solid, seen, 100, 64, 64, 12));
}
