import numpy as np

BATCH, DIM, CLASSES = 4096, 128, 64


def pull_loss(feats, labels, centers):
    d = feats - centers[labels]
    return 0.5 * (d * d).sum() / BATCH


def class_sums(feats, labels):
    sums = np.zeros((CLASSES, DIM), dtype=np.float32)
    np.add.at(sums, labels, feats)
    return sums


def margin_logits(emb, protos):
    """Cosines between unit rows."""
    e = emb / np.sqrt((emb * emb).sum(axis=1, keepdims=True))
    return e @ protos.T


if __name__ == "__main__":
    rng = np.random.default_rng(77)
    feats = rng.standard_normal((BATCH, DIM), dtype=np.float32)
    labels = rng.integers(0, CLASSES, BATCH)
    centers = rng.standard_normal((CLASSES, DIM), dtype=np.float32)
    print(pull_loss(feats, labels, centers))
    print(class_sums(feats, labels).shape)
    print(margin_logits(feats, centers).max())
