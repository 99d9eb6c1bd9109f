// Voxel world: a coarser level of occupancy, the exposed voxels, and how full each floor is.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using u8 = std::uint8_t;

template <int N>
struct Grid {
    std::vector<u8> cell = std::vector<u8>(N * N * N);
    u8 &at(int z, int y, int x) { return cell[(z * N + y) * N + x]; }
    const u8 &at(int z, int y, int x) const { return cell[(z * N + y) * N + x]; }
};

constexpr int SIDE = 128;

static void coarsen(const Grid<SIDE> &fine, Grid<SIDE / 2> &coarse)
{
    for (int z = 0; z < SIDE / 2; ++z)
        for (int y = 0; y < SIDE / 2; ++y)
            for (int x = 0; x < SIDE / 2; ++x) {
                u8 m = 0;
                for (int k = 0; k < 8; ++k)
                    m = std::max(m, fine.at(2 * z + (k >> 2), 2 * y + ((k >> 1) & 1), 2 * x + (k & 1)));
                coarse.at(z, y, x) = m;
            }
}

static void exposed(const Grid<SIDE> &g, Grid<SIDE> &shell, u8 level)
{
    for (int z = 1; z < SIDE - 1; ++z)
        for (int y = 1; y < SIDE - 1; ++y)
            for (int x = 1; x < SIDE - 1; ++x) {
                u8 lowest = std::min({g.at(z - 1, y, x), g.at(z + 1, y, x), g.at(z, y - 1, x),
                                      g.at(z, y + 1, x), g.at(z, y, x - 1), g.at(z, y, x + 1)});
                shell.at(z, y, x) = (g.at(z, y, x) >= level && lowest < level) ? 1 : 0;
            }
}

static void floor_fill(const Grid<SIDE> &g, std::vector<int> &fill, u8 level)
{
    for (int z = 0; z < SIDE; ++z) {
        int n = 0;
        for (int y = 0; y < SIDE; ++y)
            for (int x = 0; x < SIDE; ++x)
                if (g.at(z, y, x) >= level)
                    ++n;
        fill[z] = n;
    }
}

int main()
{
    Grid<SIDE> world, shell;
    Grid<SIDE / 2> half;
    std::vector<int> fill(SIDE);
    for (auto &c : world.cell)
        c = static_cast<u8>(std::rand() >> 9);
    coarsen(world, half);
    exposed(world, shell, 128);
    floor_fill(world, fill, 128);
    std::printf("%d %d %d\n", half.at(1, 2, 3), shell.at(5, 6, 7), fill[9]);
}
