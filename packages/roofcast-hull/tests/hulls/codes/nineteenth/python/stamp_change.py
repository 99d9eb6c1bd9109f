"""In how many ways a parcel can be franked with the stamps of the drawer."""

STAMPS = (85, 100, 160, 275)
POSTAGE = 2400


def ways(rest, kinds):
    if rest == 0:
        return 1
    if rest < 0 or kinds == 0:
        return 0
    return ways(rest - STAMPS[kinds - 1], kinds) + ways(rest, kinds - 1)


def runs(bits):
    """Run lengths of a franking mark scanned as a list of 0 and 1."""
    out = []
    i = 0
    while i < len(bits):
        j = i
        while j < len(bits) and bits[j] == bits[i]:
            j += 1
        out.append(j - i)
        i = j
    return out


print(ways(POSTAGE, len(STAMPS)))
print(len(runs([(k * k // 7) % 2 for k in range(5000)])))
