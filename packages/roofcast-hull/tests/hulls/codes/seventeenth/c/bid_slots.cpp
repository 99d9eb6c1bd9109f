// Second-price auctions of advertising slots.
#include <cstdio>
#include <vector>

constexpr int kAuctions = 32768;
constexpr int kBidders = 16;
constexpr float kReserve = 0.02f;

struct Bid {
    float cents;
    float ctr;
};

struct PerClick {
    static float rank(const Bid& b) { return b.cents * b.ctr; }
};
struct PerView {
    static float rank(const Bid& b) { return b.cents; }
};

template <class Traits>
void run_auctions(const std::vector<Bid>& bids, std::vector<int>& winner, std::vector<float>& price) {
    for (int a = 0; a < kAuctions; ++a) {
        float top = -1.0f, second = -1.0f;
        int who = -1;
        for (int k = 0; k < kBidders; ++k) {
            const float s = Traits::rank(bids[a * kBidders + k]);
            if (s > top) {
                second = top;
                top = s;
                who = k;
            } else if (s > second) {
                second = s;
            }
        }
        winner[a] = who;
        price[a] = second > kReserve ? second : kReserve;
    }
}

void spend_of_bidders(const std::vector<int>& winner, const std::vector<float>& price, std::vector<double>& spend) {
    for (double& s : spend)
        s = 0.0;
    for (int a = 0; a < kAuctions; ++a)
        spend[winner[a]] += price[a];
}

int main() {
    std::vector<Bid> bids(kAuctions * kBidders);
    std::vector<int> winner(kAuctions);
    std::vector<float> price(kAuctions);
    std::vector<double> spend(kBidders);
    unsigned state = 12345u;
    for (auto& b : bids) {
        state = state * 1664525u + 1013904223u;
        b.cents = 1.0f + (state >> 20) * 0.01f;
        b.ctr = 0.001f + (state >> 8 & 0xff) * 0.0002f;
    }
    run_auctions<PerClick>(bids, winner, price);
    spend_of_bidders(winner, price, spend);
    std::printf("%d %g %g\n", winner[9], price[9], spend[3]);
}
