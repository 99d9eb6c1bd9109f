"""Control strips: measured against intended colours."""
import numpy as np

SWATCHES = 200000


def delta_e76(ref, got):
    """CIE76 between two lists of Lab triples."""
    return np.sqrt(((ref - got) ** 2).sum(axis=-1))


def report(de):
    """Share of the swatches a press operator would send back."""
    worst = np.argsort(de)[-5:][::-1]
    for k in worst:
        print(f"swatch {k}: {de[k]:.2f}")
    print(f"above 3: {(de > 3.0).mean():.1%}")


# a made-up press run
rng = np.random.default_rng(76)
ref = rng.uniform(-60, 60, (SWATCHES, 3))
got = ref + rng.normal(0.0, 1.5, (SWATCHES, 3))
de = delta_e76(ref, got)
report(de)
