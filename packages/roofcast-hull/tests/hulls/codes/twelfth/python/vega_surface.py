"""Vega of a strip of options over strikes and expiries, each with its own implied volatility."""
import numpy as np

FORWARD = 100.0


def vega(strikes, expiries, vol):
    root = np.sqrt(expiries)[None, :]
    moneyness = np.log(FORWARD / strikes)[:, None]
    sd = vol * root
    d1 = moneyness / sd + 0.5 * sd
    return FORWARD * root * np.exp(-0.5 * d1 * d1) * 0.3989422804014327


strikes = np.linspace(40.0, 220.0, 1200)
expiries = np.linspace(0.05, 6.0, 800)
vol = 0.15 + 0.1 * np.abs(np.log(strikes / FORWARD))[:, None] + 0.01 * np.sqrt(expiries)[None, :]
surface = vega(strikes, expiries, vol)
print(surface.max())
