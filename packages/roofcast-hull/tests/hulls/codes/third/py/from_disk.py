import sys

import numpy as np


def rescale(a):
    return (a - a.min()) / (a.max() - a.min())


if __name__ == "__main__":
    np.save(sys.argv[2], rescale(np.load(sys.argv[1])))
