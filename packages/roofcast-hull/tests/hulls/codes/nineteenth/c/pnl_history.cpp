// historical simulation: what would each of the last 500 days have done to the book?
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Position { double qty, price; };

static constexpr int DAYS = 500, BOOK = 2000, TAIL = 25;

std::vector<double> replay(const std::vector<Position>& book, const std::vector<double>& ret)
{
    std::vector<double> pnl(DAYS);
    for (int d = 0; d < DAYS; ++d) {
        const double* r = ret.data() + static_cast<std::size_t>(d) * BOOK;
        double sum = 0.0;
        for (int p = 0; p < BOOK; ++p)
            sum += book[p].qty * book[p].price * r[p];
        pnl[d] = sum;
    }
    return pnl;
}

double shortfall(std::vector<double>& pnl)
{
    std::sort(pnl.begin(), pnl.begin() + DAYS);
    double s = 0.0;
    for (int i = 0; i < TAIL; ++i)
        s += pnl[i];
    return s / TAIL;
}

int main()
{
    std::vector<Position> book(BOOK);
    for (auto& p : book) p = {double(rand() % 500 - 250), 20.0 + rand() % 80};
    std::vector<double> ret(DAYS * BOOK);
    for (auto& r : ret) r = 1e-4 * (rand() % 400 - 200);
    auto pnl = replay(book, ret);
    std::printf("%.2f\n", shortfall(pnl));
}
