def product(a, b, c, n):
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += a[i][k] * b[k][j]
            c[i][j] = s


def main():
    n = 200
    a = [[1.0] * n for _ in range(n)]
    b = [[2.0] * n for _ in range(n)]
    c = [[0.0] * n for _ in range(n)]
    product(a, b, c, n)
    print(c[3][4])


if __name__ == "__main__":
    main()
