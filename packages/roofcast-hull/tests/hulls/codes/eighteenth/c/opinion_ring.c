/* Bounded-confidence opinions on a six-regular network (ring lattice with rewired ends). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PEOPLE 80000
#define FRIENDS 6

static int friends[PEOPLE][FRIENDS];
static double before[PEOPLE], after[PEOPLE];

void talk(double mu)
{
    for (int i = 0; i < PEOPLE; i++) {
        double pull = 0.0;
        for (int k = 0; k < FRIENDS; k++)
            pull += before[friends[i][k]] - before[i];
        after[i] = before[i] + mu * pull / FRIENDS;
    }
}

double disagreement(void)
{
    double sum = 0.0;
    #pragma omp parallel for reduction(+:sum)
    for (int i = 0; i < PEOPLE; i++)
        for (int k = 0; k < FRIENDS; k++)
            sum += fabs(after[i] - after[friends[i][k]]);
    return sum / (PEOPLE * FRIENDS);
}

int main(void)
{
    for (int i = 0; i < PEOPLE; i++) {
        before[i] = rand() / (double)RAND_MAX;
        for (int k = 0; k < FRIENDS; k++)
            friends[i][k] = rand() % 10 ? (i + (k < 3 ? k - 3 : k - 2) + PEOPLE) % PEOPLE : rand() % PEOPLE;
    }
    talk(0.4);
    printf("%f\n", disagreement());
    return 0;
}
