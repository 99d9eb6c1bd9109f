/* Sieve of Eratosthenes up to LIMIT, one byte a number. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 10000000

long sieve(unsigned char *composite, long limit)
{
    long p, q, count = 0;

    memset(composite, 0, (size_t)limit + 1);
    for (p = 2; p * p <= limit; p++) {
        if (composite[p])
            continue;
        for (q = p * p; q <= limit; q += p)
            composite[q] = 1;
    }
    for (p = 2; p <= limit; p++)
        if (!composite[p])
            count++;
    return count;
}

int main(int argc, char **argv)
{
    long limit = argc > 1 ? atol(argv[1]) : LIMIT;
    unsigned char *flags = malloc((size_t)limit + 1);
    if (flags == NULL) {
        perror("malloc");
        return 1;
    }
    printf("%ld primes up to %ld\n", sieve(flags, limit), limit);
    free(flags);
    return 0;
}
