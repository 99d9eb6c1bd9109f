#define LA 1000
#define LB 1000
#define MIN2(a, b) ((a) < (b) ? (a) : (b))

int levenshtein(const char a[LA], const char b[LB])
{
    static int d[LA + 1][LB + 1];
    for (int i = 0; i <= LA; i++) d[i][0] = i;
    for (int j = 0; j <= LB; j++) d[0][j] = j;
    for (int i = 1; i <= LA; i++)
        for (int j = 1; j <= LB; j++) {
            int change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            int gap = MIN2(d[i - 1][j], d[i][j - 1]) + 1;
            d[i][j] = MIN2(change, gap);
        }
    return d[LA][LB];
}
