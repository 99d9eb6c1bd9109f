/* How many subsets of the coins give exactly the target? Homework 4, recursion. */
#include <stdio.h>

#define COINS 22

static int coin[COINS];

int ways(int i, int left)
{
    if (left == 0)
        return 1;
    if (i == COINS || left < 0)
        return 0;
    return ways(i + 1, left - coin[i]) + ways(i + 1, left);
}

int main(void)
{
    for (int i = 0; i < COINS; i++)
        coin[i] = 3 + (i * 5) % 17;
    printf("%d ways\n", ways(0, 60));
    return 0;
}
