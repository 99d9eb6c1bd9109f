"""Which side of 48 planes each vector lies on: bits of locality-sensitive hashing."""
import numpy as np


def sign_bits(x, planes, offset):
    return x @ planes > offset


rng = np.random.default_rng(8)
x = rng.normal(size=(8000, 256))
planes = rng.normal(size=(256, 48))
offset = np.full(48, 0.25)
print(sign_bits(x, planes, offset).mean())

# near vectors share more bits than strangers do
bits = sign_bits(x, planes, offset)
near = sign_bits(x + 0.1 * rng.normal(size=(8000, 256)), planes, offset)
print("bits shared with a near one :", (bits == near).mean())
print("bits shared with a stranger :", (bits[1:] == bits[:-1]).mean())

key = 0
for bit in bits[0]:
    key = key * 2 + int(bit)
print(f"key of the first: {key:012x}")
