// Running balance of an account, and the largest bookings.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

static const int BOOKINGS = 1 << 20;

void balances(const std::vector<long>& amount, std::vector<long>& balance)
{
    long sum = 0;
    for (int i = 0; i < BOOKINGS; i++) {
        sum += amount[i];
        balance[i] = sum;
    }
}

void order_by_size(std::vector<long>& amount)
{
    std::sort(amount.begin(), amount.end());
}

int main()
{
    std::vector<long> amount(BOOKINGS), balance(BOOKINGS);
    for (int i = 0; i < BOOKINGS; i++)
        amount[i] = (long)((i * 48271L) % 20011L) - 10000L;
    balances(amount, balance);
    order_by_size(amount);
    printf("end %ld, smallest %ld, largest %ld\n", balance.back(), amount.front(), amount.back());
}
