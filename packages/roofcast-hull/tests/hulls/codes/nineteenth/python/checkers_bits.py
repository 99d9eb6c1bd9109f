# Checkers positions as 32-square boards in the low half of uint64 words.
import numpy as np

POSITIONS = 250000
U = np.uint64
LEFT = U(0x07070707)
RIGHT = U(0xE0E0E0E0)
M1, M2, M4 = U(0x5555555555555555), U(0x3333333333333333), U(0x0F0F0F0F0F0F0F0F)
H01 = U(0x0101010101010101)


def reachable(men, kings, empty):
    fwd = ((men << U(4)) | ((men & LEFT) << U(5))) & empty
    back = ((kings >> U(4)) | ((kings & RIGHT) >> U(5))) & empty
    return fwd | back


def count_bits(b):
    b = b - ((b >> U(1)) & M1)
    b = (b & M2) + ((b >> U(2)) & M2)
    b = (b + (b >> U(4))) & M4
    return (b * H01) >> U(56)


if __name__ == "__main__":
    rng = np.random.default_rng(12)
    men = rng.integers(0, 2**32, POSITIONS, dtype=np.uint64)
    kings = men & rng.integers(0, 2**32, POSITIONS, dtype=np.uint64)
    empty = ~men & U(0xFFFFFFFF)
    mobility = count_bits(reachable(men, kings, empty))
    print(mobility.mean())
