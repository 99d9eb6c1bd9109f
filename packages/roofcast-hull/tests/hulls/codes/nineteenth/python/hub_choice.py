from random import Random

CUSTOMERS = 2000
HUBS = 25


def nearest_hub_km(cx, cy, hx, hy):
    best = [0.0] * CUSTOMERS
    for i in range(CUSTOMERS):
        b = 1e9
        for k in range(HUBS):
            d = abs(cx[i] - hx[k]) + abs(cy[i] - hy[k])
            if d < b:
                b = d
        best[i] = b
    return best


def odometer(legs):
    run = 0.0
    out = [0.0] * len(legs)
    for i in range(len(legs)):
        run += legs[i]
        out[i] = run
    return out


if __name__ == "__main__":
    r = Random(14)
    cx = [r.uniform(0, 80) for _ in range(CUSTOMERS)]
    cy = [r.uniform(0, 60) for _ in range(CUSTOMERS)]
    hx = [r.uniform(0, 80) for _ in range(HUBS)]
    hy = [r.uniform(0, 60) for _ in range(HUBS)]
    km = nearest_hub_km(cx, cy, hx, hy)
    print(odometer(km)[-1])
