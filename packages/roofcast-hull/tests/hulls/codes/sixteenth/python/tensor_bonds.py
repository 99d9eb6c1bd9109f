"""Small tensors in batches with einsum: transfer matrices, energies of bonds, a mean field."""
import numpy as np

SITES, D = 4000, 12
SPINS = 100_000


def merge(left, right):
    return np.einsum("sab,sbc->sac", left, right)


def traces(m):
    return np.einsum("saa->s", m)


def field_energy(spin, coupling):
    field = np.einsum("ni,ij->nj", spin, coupling)
    return np.einsum("nj,nj->n", field, spin)


def mean_field(j, beta):
    """The magnetisation that keeps itself."""
    m = np.full(D, 0.5)
    change = 1.0
    while change > 1e-10:
        new = np.tanh(beta * np.einsum("ij,j->i", j, m))
        change = np.abs(new - m).max()
        m = new
    return m


def main():
    rng = np.random.default_rng(55)
    left = rng.normal(size=(SITES, D, D))
    right = rng.normal(size=(SITES, D, D))
    print(traces(merge(left, right)).sum())
    coupling = rng.normal(size=(D, D))
    print(field_energy(rng.normal(size=(SPINS, D)), coupling).min())
    print(mean_field(np.abs(coupling), 0.3))


if __name__ == "__main__":
    main()
