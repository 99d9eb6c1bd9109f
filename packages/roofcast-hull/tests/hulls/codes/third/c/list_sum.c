#include <stdlib.h>

struct item {
    double value;
    struct item *next;
};

double list_sum(const struct item *head)
{
    double sum = 0.0;
    for (const struct item *p = head; p != NULL; p = p->next)
        sum += p->value;
    return sum;
}

int main(void)
{
    struct item *head = NULL;
    for (int i = 0; i < 1000; i++) {
        struct item *fresh = malloc(sizeof *fresh);
        fresh->value = i;
        fresh->next = head;
        head = fresh;
    }
    return list_sum(head) > 0.0;
}
