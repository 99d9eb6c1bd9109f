# How unevenly things are spread within groups.
import numpy as np

GROUPS = 2048
MEMBERS = 512
TOP = 50



def interquartile(x):
    s = np.sort(x, axis=1)
    return s[:, 3 * MEMBERS // 4] - s[:, MEMBERS // 4]


def top_share(wealth):
    """Share of all wealth that the richest fifty of each group own."""
    ranked = np.sort(wealth, axis=1)
    return ranked[:, -TOP:].sum(axis=1) / ranked.sum(axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(31)
    wealth = rng.lognormal(10.0, 1.1, size=(GROUPS, MEMBERS))
    print("iqr", np.median(interquartile(wealth)))
    print("top", top_share(wealth).max())
