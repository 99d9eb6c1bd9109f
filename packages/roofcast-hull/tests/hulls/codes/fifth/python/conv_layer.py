import numpy as np


# images: (batch, height, width, channels), kernels: (k, k, channels, filters)
def conv_bias(images, kernels, bias, result):
    k = kernels.shape[0]
    for y in range(result.shape[1]):
        for x in range(result.shape[2]):
            patch = images[:, y:y + k, x:x + k, :, np.newaxis]
            result[:, y, x, :] = np.sum(patch * kernels[np.newaxis], axis=(1, 2, 3)) + bias


def main():
    rng = np.random.default_rng(42)
    images = rng.random((4, 100, 100, 3))
    kernels = rng.random((5, 5, 3, 8))
    bias = rng.random(8)
    result = np.empty((4, 96, 96, 8))
    conv_bias(images, kernels, bias, result)
    print(result.mean(), result.max())


main()
