// batch evaluation of chess positions held as bitboards
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

struct Board {
    uint64_t piece[12]; // white P N B R Q K, black P N B R Q K
};

static const int kValue[6] = {100, 320, 330, 500, 900, 20000};
constexpr uint64_t NOT_A = 0xfefefefefefefefeULL, NOT_H = 0x7f7f7f7f7f7f7f7fULL;

void material(const std::vector<Board> &boards, std::vector<int> &score)
{
    for (size_t b = 0; b < boards.size(); ++b) {
        int s = 0;
        for (int p = 0; p < 6; ++p)
            s += kValue[p] * (__builtin_popcountll(boards[b].piece[p]) - __builtin_popcountll(boards[b].piece[p + 6]));
        score[b] = s;
    }
}

void pawn_attacks(const uint64_t *pawns, const uint64_t *enemy, uint64_t *attacked, uint8_t *hits, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const uint64_t p = pawns[i];
        const uint64_t a = ((p << 7) & NOT_H) | ((p << 9) & NOT_A);
        attacked[i] = a;
        hits[i] = static_cast<uint8_t>(__builtin_popcountll(a & enemy[i]));
    }
}

int main()
{
    const size_t n = 100000;
    std::mt19937_64 rng(7);
    std::vector<Board> boards(n);
    std::vector<int> score(n);
    std::vector<uint64_t> pawns(n), enemy(n), attacked(n);
    std::vector<uint8_t> hits(n);
    for (size_t i = 0; i < n; ++i) {
        for (auto &w : boards[i].piece) w = rng() & rng() & rng() & rng();
        pawns[i] = rng() & rng();
        enemy[i] = rng() & rng();
    }
    material(boards, score);
    pawn_attacks(pawns.data(), enemy.data(), attacked.data(), hits.data(), n);
    std::printf("%d %d\n", score[1], hits[1]);
}
