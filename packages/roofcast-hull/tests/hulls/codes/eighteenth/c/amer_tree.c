/* American puts on a recombining tree; every option of the book walks its own tree in a local array. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BOOK  2000
#define STEPS 64

struct put { double spot, strike, vol, years; };

static struct put book[BOOK];
static double value[BOOK];

void price_book(double rate)
{
    #pragma omp parallel for schedule(dynamic, 16)
    for (int n = 0; n < BOOK; n++) {
        double v[STEPS + 1], s[STEPS + 1];
        const struct put o = book[n];
        const double dt = o.years / STEPS;
        const double up = exp(o.vol * sqrt(dt));
        const double disc = exp(-rate * dt);
        const double p = (1.0 / disc - 1.0 / up) / (up - 1.0 / up);

        s[0] = o.spot * pow(up, -STEPS);
        for (int i = 1; i <= STEPS; i++)
            s[i] = s[i - 1] * up * up;
        for (int i = 0; i <= STEPS; i++)
            v[i] = fmax(o.strike - s[i], 0.0);
        for (int t = STEPS - 1; t >= 0; t--)
            for (int i = 0; i <= t; i++) {
                s[i] = s[i] * up;
                v[i] = fmax(disc * (p * v[i + 1] + (1.0 - p) * v[i]), o.strike - s[i]);
            }
        value[n] = v[0];
    }
}

int main(void)
{
    for (int n = 0; n < BOOK; n++)
        book[n] = (struct put){ 90.0 + n % 21, 100.0, 0.15 + 0.001 * (n % 200), 0.25 + 0.01 * (n % 150) };
    price_book(0.03);
    printf("%f\n", value[17]);
    return 0;
}
