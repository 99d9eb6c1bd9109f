"""Gray-world white balance of a float RGB frame."""
import numpy as np

HEIGHT, WIDTH = 1080, 1920


def gray_world(img):
    means = img.mean(axis=(0, 1))
    gains = means.mean() / means
    return np.clip(img * gains, 0.0, 1.0)


def main():
    rng = np.random.default_rng(11)
    img = rng.random((HEIGHT, WIDTH, 3), dtype=np.float32)
    img *= np.array([0.9, 0.7, 0.5], dtype=np.float32)
    out = gray_world(img)
    print("before", img.mean(axis=(0, 1)), "after", out.mean(axis=(0, 1)))


if __name__ == "__main__":
    main()
