/* which fixes lie inside of the geofence? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FIXES 20000
#define EDGES 64

typedef struct { double x, y; } pt;

void inside(const pt *p, const pt *fence, unsigned char *in)
{
    for (int i = 0; i < FIXES; i++) {
        int odd = 0;
        for (int e = 0; e < EDGES; e++) {
            pt a = fence[e], b = fence[e + 1];
            int straddles = (a.y > p[i].y) != (b.y > p[i].y);
            double xc = (b.x - a.x) * (p[i].y - a.y) / (b.y - a.y) + a.x;
            odd ^= straddles & (p[i].x < xc);
        }
        in[i] = odd;
    }
}

double fenced_area(const pt *fence)
{
    double a = 0;
    for (int e = 0; e < EDGES; e++)
        a += fence[e].x * fence[e + 1].y - fence[e + 1].x * fence[e].y;
    return 0.5 * a;
}

void leg_lengths(const pt *p, double *leg)
{
    for (int i = 0; i + 1 < FIXES; i++)
        leg[i] = hypot(p[i + 1].x - p[i].x, p[i + 1].y - p[i].y);
}

int main(void)
{
    static pt p[FIXES], fence[EDGES + 1];
    static unsigned char in[FIXES];
    static double leg[FIXES - 1];
    for (int e = 0; e <= EDGES; e++) {
        double r = 3 + sin(5.0 * e);
        fence[e].x = r * cos(2 * M_PI * (e % EDGES) / EDGES);
        fence[e].y = r * sin(2 * M_PI * (e % EDGES) / EDGES + 0.001);
    }
    for (int i = 0; i < FIXES; i++) {
        p[i].x = rand() % 1000 / 125.0 - 4;
        p[i].y = rand() % 1000 / 125.0 - 4;
    }
    inside(p, fence, in);
    leg_lengths(p, leg);
    printf("%d %f %f\n", in[5], fenced_area(fence), leg[1]);
    return 0;
}
