/* Where each row begins, from how long the rows are. */
void exclusive_sums(const int *lengths, int *starts, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        starts[i] = sum;
        sum += lengths[i];
    }
    starts[n] = sum;
}

static int lengths[100000], starts[100001];

int main(void)
{
    exclusive_sums(lengths, starts, 100000);
    return starts[100000];
}
