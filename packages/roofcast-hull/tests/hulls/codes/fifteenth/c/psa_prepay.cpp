// mortgage pool: monthly cash flows of each loan under a table of monthly prepayment speeds
#include <cmath>
#include <cstdio>
#include <vector>

namespace {
constexpr int kLoans = 20000;
constexpr int kMonths = 360;
}

struct Pool {
    std::vector<double> balance, rate, interest, life;
    explicit Pool(int n) : balance(n), rate(n), interest(n), life(n) {}
};

void run_pool(Pool &pool, const double *smm)
{
    for (int i = 0; i < kLoans; ++i) {
        const double start = pool.balance[i];
        const double r = pool.rate[i];
        const double pay = start * r / (1.0 - std::pow(1.0 + r, -kMonths));
        double bal = start, survive = 1.0, paid = 0.0, wal = 0.0;
        for (int m = 0; m < kMonths; ++m) {
            const double interest = bal * r;
            const double sched = pay * survive - interest;
            const double prepay = (bal - sched) * smm[m];
            bal = bal - sched - prepay;
            survive *= 1.0 - smm[m];
            paid += interest;
            wal += (m + 1) * (sched + prepay);
        }
        pool.interest[i] = paid;
        pool.life[i] = wal / (12.0 * start);
    }
}

double weighted_coupon(const Pool &pool)
{
    double num = 0.0, den = 0.0;
    for (int i = 0; i < kLoans; ++i) {
        num += pool.balance[i] * pool.rate[i];
        den += pool.balance[i];
    }
    return num / den;
}

int main()
{
    Pool pool(kLoans);
    double smm[kMonths];
    for (int m = 0; m < kMonths; ++m) smm[m] = 0.005 * std::fmin(1.0, (m + 1) / 30.0);
    for (int i = 0; i < kLoans; ++i) {
        pool.balance[i] = 100000.0 + i;
        pool.rate[i] = 0.003 + 1e-7 * (i % 1000);
    }
    run_pool(pool, smm);
    std::printf("%f %f %f\n", pool.interest[0], pool.life[0], weighted_coupon(pool));
}
