// Amortises a book of loans month by month; each with its own rate and instalment.
#include <cmath>
#include <cstdio>
#include <vector>

struct Loan {
    double balance;
    double rate;        // a month
    double instalment;
    double interest;    // paid in all
};

constexpr int kLoans = 40000;
constexpr int kMonths = 240;

void instalments(std::vector<Loan>& book)
{
    for (auto& l : book)
        l.instalment = l.balance * l.rate / (1.0 - std::pow(1.0 + l.rate, -kMonths));
}

void run_off(const double* start, const double* rate, const double* pay, double* left, double* interest)
{
#pragma omp parallel for
    for (int i = 0; i < kLoans; ++i) {
        double b = start[i], sum = 0.0;
        for (int m = 0; m < kMonths / 2; ++m) {
            double due = b * rate[i];
            sum += due;
            b += due - pay[i];
        }
        left[i] = b;
        interest[i] = sum;
    }
}

double weighted_coupon(const std::vector<Loan>& book)
{
    double num = 0, den = 0;
    for (size_t i = 0; i < book.size(); i++) {
        num += book[i].balance * book[i].rate;
        den += book[i].balance;
    }
    return num / den;
}

int main()
{
    std::vector<Loan> book(kLoans);
    std::vector<double> s(kLoans), r(kLoans), p(kLoans), left(kLoans), paid(kLoans);
    for (int i = 0; i < kLoans; i++)
        book[i] = {1e5 + i, 0.002 + 1e-8 * i, 0, 0};
    instalments(book);
    for (int i = 0; i < kLoans; i++) {
        s[i] = book[i].balance;
        r[i] = book[i].rate;
        p[i] = book[i].instalment;
    }
    run_off(s.data(), r.data(), p.data(), left.data(), paid.data());
    std::printf("%.2f %.2f %.5f\n", left[9], paid[9], weighted_coupon(book));
}
