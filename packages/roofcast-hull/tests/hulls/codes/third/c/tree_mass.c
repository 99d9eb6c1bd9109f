/* Masses of the cells of a tree, from the leaves up. */
#include <stddef.h>

typedef struct cell {
    double mass;
    struct cell *child[8];
} cell;

double tree_mass(cell *c)
{
    double sum = c->mass;
    for (int i = 0; i < 8; i++)
        if (c->child[i] != NULL)
            sum += tree_mass(c->child[i]);
    c->mass = sum;
    return sum;
}
