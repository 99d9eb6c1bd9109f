#include <cmath>
#include <cstdio>
#include <cstdint>
#include <cstdlib>

template <int R, int C>
struct Table {
    double n[R][C] = {};
    double row[R] = {}, col[C] = {};
    void count(const uint8_t* a, const uint8_t* b, int m);
    void margins();
    double chi2(double total) const;
};

template <int R, int C>
void Table<R, C>::count(const uint8_t* a, const uint8_t* b, int m)
{
    for (int i = 0; i < m; i++)
        n[a[i]][b[i]] += 1.0;
}

template <int R, int C>
void Table<R, C>::margins()
{
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) {
            row[r] += n[r][c];
            col[c] += n[r][c];
        }
}

template <int R, int C>
double Table<R, C>::chi2(double total) const
{
    double x = 0;
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) {
            const double e = row[r] * col[c] / total;
            x += (n[r][c] - e) * (n[r][c] - e) / e;
        }
    return x;
}

// plain rows, for the survey's own table
static const int PEOPLE = 100000, REGIONS = 8, ANSWERS = 12;
static uint8_t region[PEOPLE], answer[PEOPLE];
static double weight[PEOPLE], tally[REGIONS][ANSWERS];

void weighted_tally()
{
    for (int i = 0; i < PEOPLE; i++)
        tally[region[i]][answer[i]] += weight[i];
}

void shares()
{
    for (int r = 0; r < REGIONS; r++) {
        double s = 0;
        for (int a = 0; a < ANSWERS; a++)
            s += tally[r][a];
        for (int a = 0; a < ANSWERS; a++)
            tally[r][a] = 100 * tally[r][a] / s;
    }
}

int main()
{
    for (int i = 0; i < PEOPLE; i++) {
        region[i] = rand() % REGIONS;
        answer[i] = (region[i] + rand() % ANSWERS) % ANSWERS;
        weight[i] = 0.5 + (rand() % 100) / 100.0;
    }
    Table<REGIONS, ANSWERS> t;
    t.count(region, answer, PEOPLE);
    t.margins();
    std::printf("V = %f\n", std::sqrt(t.chi2(PEOPLE) / PEOPLE / 7));
    weighted_tally();
    shares();
    std::printf("%f\n", tally[2][3]);
}
