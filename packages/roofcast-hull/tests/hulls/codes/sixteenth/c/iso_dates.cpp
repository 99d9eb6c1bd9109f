// A column of dates as text (YYYY-MM-DD): days since 1970, order, and how many fall on each weekday.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

constexpr int kRows = 100000, kLen = 10;

void parse_dates(const char* text, std::vector<int>& days)
{
    for (int r = 0; r < kRows; ++r) {
        const char* p = text + r * kLen;
        const auto digit = [p](int k) { return p[k] - '0'; };
        int y = digit(0) * 1000 + digit(1) * 100 + digit(2) * 10 + digit(3);
        const int m = digit(5) * 10 + digit(6);
        const int d = digit(8) * 10 + digit(9);
        y -= m <= 2;
        const int from_march = m > 2 ? m - 3 : m + 9;
        days[r] = 365 * y + y / 4 - y / 100 + y / 400 + (153 * from_march + 2) / 5 + d - 719469;
    }
}

void put_in_order(std::vector<int>& days)
{
    std::sort(days.begin(), days.end());
}

void weekdays(const std::vector<int>& days, int count[7])
{
    std::fill(count, count + 7, 0);
    for (int d : days)
        count[(d + 4) % 7]++;
}

int main()
{
    std::string text;
    text.reserve(kRows * kLen + 1);
    for (int r = 0; r < kRows; ++r) {
        char one[40];
        std::snprintf(one, sizeof one, "%04d-%02d-%02d", 1970 + (r * 7) % 60, 1 + (r * 5) % 12, 1 + (r * 3) % 28);
        text += one;
    }
    std::vector<int> days(kRows);
    parse_dates(text.data(), days);
    put_in_order(days);
    int count[7];
    weekdays(days, count);
    std::printf("%d %d %d\n", days[0], days[kRows - 1], count[2]);
}
