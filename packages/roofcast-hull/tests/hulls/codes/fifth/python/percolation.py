"""Does water get through? Clusters of open sites, labelled with a stack."""
import numpy as np


def label_clusters(open_sites):
    rows, cols = open_sites.shape
    labels = np.zeros((rows, cols), dtype=np.int64)
    current = 0
    for i in range(rows):
        for j in range(cols):
            if not open_sites[i, j] or labels[i, j]:
                continue
            current += 1
            labels[i, j] = current
            stack = [(i, j)]
            while stack:
                y, x = stack.pop()
                for dy, dx in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    v, u = y + dy, x + dx
                    if 0 <= v < rows and 0 <= u < cols and open_sites[v, u] and not labels[v, u]:
                        labels[v, u] = current
                        stack.append((v, u))
    return labels


if __name__ == "__main__":
    sites = np.random.default_rng(4).random((200, 200)) < 0.6
    labels = label_clusters(sites)
    through = np.intersect1d(labels[0][labels[0] > 0], labels[-1][labels[-1] > 0])
    print(labels.max(), "clusters;", "percolates" if through.size else "does not percolate")
