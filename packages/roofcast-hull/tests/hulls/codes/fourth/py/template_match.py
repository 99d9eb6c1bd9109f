import numpy as np


def correlate(image, patch, score):
    rows, cols = image.shape
    h, w = patch.shape
    for i in range(rows - h + 1):
        for j in range(cols - w + 1):
            s = 0.0
            for a in range(h):
                for b in range(w):
                    s += image[i + a, j + b] * patch[a, b]
            score[i, j] = s


image = np.random.rand(240, 320)
patch = np.ones((5, 3))
score = np.zeros((240, 320))
correlate(image, patch, score)
print(score.argmax())
