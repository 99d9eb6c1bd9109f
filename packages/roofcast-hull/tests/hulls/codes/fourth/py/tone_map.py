import numpy as np


def expose(img, gain):
    img *= gain
    np.clip(img, 0.0, 1.0, out=img)
    np.power(img, 1.0 / 2.2, out=img)


photo = np.ones((600, 900, 3), dtype=np.float32)
photo[:, :450] *= 0.2
expose(photo, 1.7)
print(photo[0, 0], photo[0, -1])
