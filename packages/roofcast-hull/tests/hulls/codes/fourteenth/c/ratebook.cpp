// Motor premiums from a rate book: every policy is a row of small codes, factors come from tables.
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kPolicies = 300000;
constexpr int kVehicleGroups = 50;
constexpr int kZones = 400;

struct Book {
    std::vector<float> vehicle = std::vector<float>(kVehicleGroups);
    std::vector<float> zone = std::vector<float>(kZones);
    float fee = 38.5f;
    float young = 1.8f;
};

struct Portfolio {
    std::vector<uint8_t> group = std::vector<uint8_t>(kPolicies);
    std::vector<uint16_t> zone = std::vector<uint16_t>(kPolicies);
    std::vector<uint8_t> age = std::vector<uint8_t>(kPolicies);
    std::vector<float> premium = std::vector<float>(kPolicies);
};

void price(const Book& book, Portfolio& p)
{
    for (int i = 0; i < kPolicies; ++i) {
        const float base = book.vehicle[p.group[i]] * book.zone[p.zone[i]];
        const float loading = p.age[i] < 25 ? book.young : 1.0f;
        p.premium[i] = base * loading + book.fee;
    }
}

void income_by_zone(const Portfolio& p, std::vector<double>& income)
{
    for (int i = 0; i < kPolicies; ++i)
        income[p.zone[i]] += p.premium[i];
}

int main()
{
    Book book;
    Portfolio p;
    for (int g = 0; g < kVehicleGroups; ++g) book.vehicle[g] = 180.0f + 9.0f * g;
    for (int z = 0; z < kZones; ++z) book.zone[z] = 0.7f + 0.002f * z;
    for (int i = 0; i < kPolicies; ++i) {
        p.group[i] = (i * 7) % kVehicleGroups;
        p.zone[i] = (i * 131) % kZones;
        p.age[i] = 18 + (i * 13) % 60;
    }
    std::vector<double> income(kZones, 0.0);
    price(book, p);
    income_by_zone(p, income);
    std::printf("%.2f\n", income[0]);
}
