# longest chain out of a hand of dominoes; hands of a whole tournament


def longest(hand, end, used):
    best = 0
    for k in range(len(hand)):
        if used & (1 << k):
            continue
        a, b = hand[k]
        if a == end:
            best = max(best, 1 + longest(hand, b, used | (1 << k)))
        elif b == end:
            best = max(best, 1 + longest(hand, a, used | (1 << k)))
    return best


def pips(hands):
    totals = [0] * len(hands)
    for i in range(len(hands)):
        for k in range(7):
            totals[i] += hands[i][k][0] + hands[i][k][1]
    return totals


N = 1000
hands = []
state = 12345
for _ in range(N):
    h = []
    for _ in range(7):
        state = (state * 1103515245 + 12345) % 2147483648
        h.append((state // 7 % 7, state // 343 % 7))
    hands.append(h)
print(sum(pips(hands)) / N)
print(max(longest(h, 6, 0) for h in hands[:100]))
