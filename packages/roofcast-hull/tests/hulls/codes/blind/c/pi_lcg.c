#include <stdint.h>

double estimate_pi(long trials)
{
    uint64_t state = 12345;
    long inside = 0;
    for (long i = 0; i < trials; i++) {
        state = 6364136223846793005ULL * state + 1442695040888963407ULL;
        double x = (double)(state >> 11) / 9007199254740992.0;
        state = 6364136223846793005ULL * state + 1442695040888963407ULL;
        double y = (double)(state >> 11) / 9007199254740992.0;
        if (x * x + y * y < 1.0) inside++;
    }
    return 4.0 * inside / trials;
}
