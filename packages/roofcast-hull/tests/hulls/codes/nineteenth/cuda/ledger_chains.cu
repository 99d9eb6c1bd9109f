// Balance of each account: its postings are a linked list, newest first
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Posting { int next; int cents; };
#define ACCOUNTS 65536
#define POSTINGS (1 << 20)

__global__ void balances(const int *head, const Posting *book, long long *balance)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a >= ACCOUNTS) return;
    long long sum = 0;
    int p = head[a];
    while (p >= 0) {
        sum += book[p].cents;
        p = book[p].next;
    }
    balance[a] = sum;
}

int main()
{
    std::vector<int> head(ACCOUNTS, -1);
    std::vector<Posting> book(POSTINGS);
    unsigned s = 1;
    for (int p = 0; p < POSTINGS; p++) {
        s = s * 1103515245u + 12345u;
        int a = (s >> 8) % ACCOUNTS;
        book[p] = {head[a], (int)(s % 20001) - 10000};
        head[a] = p;
    }
    int *dh;
    Posting *db;
    long long *bal, first;
    cudaMalloc(&dh, ACCOUNTS * sizeof(int));
    cudaMalloc(&db, POSTINGS * sizeof(Posting));
    cudaMalloc(&bal, ACCOUNTS * sizeof(long long));
    cudaMemcpy(dh, head.data(), ACCOUNTS * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, book.data(), POSTINGS * sizeof(Posting), cudaMemcpyHostToDevice);
    balances<<<ACCOUNTS / 256, 256>>>(dh, db, bal);
    cudaMemcpy(&first, bal, sizeof first, cudaMemcpyDeviceToHost);
    printf("%lld\n", first);
}
