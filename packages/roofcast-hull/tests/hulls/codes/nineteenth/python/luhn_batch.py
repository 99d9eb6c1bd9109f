import random

CARDS = 3000
DIGITS = 16


def valid_cards(cards):
    ok = []
    for digits in cards:
        total = 0
        for k in range(DIGITS):
            d = digits[k]
            if k % 2 == 0:
                d = d * 2
                if d > 9:
                    d = d - 9
            total += d
        ok.append(total % 10 == 0)
    return ok


if __name__ == "__main__":
    random.seed(3)
    cards = [[random.randint(0, 9) for _ in range(DIGITS)] for _ in range(CARDS)]
    print(sum(valid_cards(cards)))
