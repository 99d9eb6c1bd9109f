#include <cstdint>
#include <cstdio>
#include <vector>

// Columns of a day of access logs.
struct AccessLog {
    std::vector<uint16_t> status;
    std::vector<uint8_t> route;
    std::vector<uint32_t> bytes;
    std::vector<float> millis;
    explicit AccessLog(size_t n) : status(n), route(n), bytes(n), millis(n) {}
};

static const int kLines = 2000000;

void status_classes(const uint16_t* status, int n, uint64_t* counts) {
    for (int i = 0; i < n; ++i) {
        const int c = status[i] / 100;
        counts[c] += 1;
    }
}

void traffic_by_route(const AccessLog& log, std::vector<uint64_t>& sent) {
    for (int i = 0; i < kLines; ++i)
        sent[log.route[i]] += log.bytes[i];
}

struct Latency { double sum, squares; float worst; };

Latency latency(const std::vector<float>& millis) {
    double sum = 0, squares = 0;
    float worst = 0;
#pragma omp parallel for reduction(+ : sum, squares) reduction(max : worst)
    for (int i = 0; i < kLines; ++i) {
        const float m = millis[i];
        sum += m;
        squares += m * m;
        worst = m > worst ? m : worst;
    }
    return {sum, squares, worst};
}

int main() {
    AccessLog log(kLines);
    uint64_t counts[6] = {0};
    std::vector<uint64_t> sent(256);
    for (int i = 0; i < kLines; ++i) {
        log.status[i] = static_cast<uint16_t>(100 * (2 + (i % 17) / 5) + i % 4);
        log.route[i] = static_cast<uint8_t>((i * 2654435761u) >> 24);
        log.bytes[i] = 200u + i % 5000;
        log.millis[i] = 1.0f + (i % 997) * 0.3f;
    }
    status_classes(log.status.data(), kLines, counts);
    traffic_by_route(log, sent);
    const Latency l = latency(log.millis);
    std::printf("%llu %llu %f %f\n", (unsigned long long)counts[2], (unsigned long long)sent[7],
                l.sum / kLines, l.worst);
}
