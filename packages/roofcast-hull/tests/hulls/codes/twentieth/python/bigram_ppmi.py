import numpy as np

VOCAB = 1024
TOKENS = 2_000_000


def count_pairs(tok):
    table = np.zeros((VOCAB, VOCAB))
    np.add.at(table, (tok[:-1], tok[1:]), 1.0)
    return table


def ppmi(table):
    total = table.sum()
    left = table.sum(axis=1)
    right = table.sum(axis=0)
    expect = np.outer(left, right) / total
    return np.maximum(np.log2((table + 0.5) / (expect + 0.5)), 0.0)


def neighbours(vecs, query):
    """cosine of one word against all (vectors have length 1)"""
    return vecs @ query


def main():
    g = np.random.default_rng(1948)
    tok = (VOCAB * g.random(TOKENS) ** 3).astype(np.int64)
    m = ppmi(count_pairs(tok))
    norm = np.linalg.norm(m, axis=1, keepdims=True) + 1e-9
    sims = neighbours(m / norm, m[17] / norm[17])
    print(np.argsort(-sims)[:8])


main()
