/* Bodies on their way. */
typedef struct {
    double x, y, z;
    double vx, vy, vz;
} Body;

#define BODIES 200000
static Body bodies[BODIES];

void drift(Body *p, int n, double dt)
{
    for (int i = 0; i < n; i++) {
        p[i].x += dt * p[i].vx;
        p[i].y += dt * p[i].vy;
        p[i].z += dt * p[i].vz;
    }
}

int main(void)
{
    for (int t = 0; t < 100; t++) drift(bodies, BODIES, 0.01);
    return 0;
}
