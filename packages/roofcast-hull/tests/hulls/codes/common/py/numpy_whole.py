import numpy as np

N, D, K = 30000, 16, 40
H, W = 600, 800


def distances():
    points = np.random.rand(N, D)
    centres = np.random.rand(K, D)
    diff = points[:, None, :] - centres[None, :, :]
    return (diff ** 2).sum(axis=2)


def standardise():
    x = np.random.rand(N, D).astype(np.float32)
    return (x - x.mean(axis=0)) / x.std(axis=0)


def softmax():
    z = np.random.rand(N, 100)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def dense_layer():
    x = np.random.rand(512, 784)
    w = np.random.rand(784, 256)
    b = np.zeros(256)
    return np.maximum(x @ w + b, 0)


def contract():
    a = np.random.rand(300, 400)
    b = np.random.rand(400, 200)
    return np.einsum("ik,kj->ij", a, b)


def gather_rows():
    table = np.random.rand(5000, 64)
    ids = np.random.randint(0, 5000, size=20000)
    return table[ids]


def take_values():
    x = np.random.rand(100000)
    order = np.random.permutation(100000)
    return x[order] * 2.0


def scatter_add():
    weights = np.random.rand(400000)
    bins = np.random.randint(0, 1000, size=400000)
    out = np.zeros(1000)
    np.add.at(out, bins, weights)
    return out


def mask_assign():
    img = np.random.rand(H, W)
    img[img < 0.1] = 0.0
    return img


def select():
    a = np.random.rand(H, W)
    b = np.random.rand(H, W)
    return np.where(a > b, a, b)


def laplacian():
    u = np.random.rand(H, W)
    out = np.zeros_like(u)
    out[1:-1, 1:-1] = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    return out


def convolve():
    x = np.random.rand(200000)
    k = np.ones(11) / 11
    return np.convolve(x, k, mode="valid")


def in_place():
    x = np.zeros((H, W), dtype=np.float32)
    x *= 0.5
    x += 1.0
    return x


def gradient_norm():
    f = np.random.rand(H, W)
    gx = f[:, 1:] - f[:, :-1]
    gy = f[1:, :] - f[:-1, :]
    return np.sqrt(gx[:-1, :] ** 2 + gy[:, :-1] ** 2)


def rolled():
    u = np.random.rand(H, W)
    return np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0) + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1) - 4 * u


def grey():
    rgb = np.random.randint(0, 256, size=(H, W, 3), dtype=np.uint8)
    return (rgb[..., 0] * 0.299 + rgb[..., 1] * 0.587 + rgb[..., 2] * 0.114).astype(np.uint8)


def horner():
    x = np.linspace(-1, 1, 500000)
    coefficients = [1.0, -0.5, 0.25, 0.125]
    y = np.zeros_like(x)
    for c in coefficients:
        y = y * x + c
    return y


def downsample():
    img = np.random.rand(H, W)
    return img.reshape(H // 2, 2, W // 2, 2).mean(axis=(1, 3))


def outer():
    r = np.linspace(0, 1, 700)
    t = np.linspace(0, 6.28, 900)
    return r[:, np.newaxis] * np.cos(t)[np.newaxis, :]


def covariance():
    x = np.random.rand(N, D)
    c = x - x.mean(axis=0)
    return c.T @ c / (N - 1)


def argbest():
    scores = np.random.rand(N, 50)
    return np.argmax(scores, axis=1)


def stacked():
    t = np.linspace(0, 1, 100000)
    return np.stack([np.sin(t), np.cos(t)], axis=1)
