"""Reference of ``gpp``: the generalised plasmon-pole self-energy in complex128, with the definition's divisions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast_measure.inputs import Arrays, integer
from roofcast_measure.programs import Sizes

Complex = NDArray[np.complex128]


def gpp(a: Arrays, s: Sizes) -> Arrays:
    """(4 nw,) sums: for each iw the screened-exchange and Coulomb-hole parts, real and imaginary."""
    ncouls, ngpown, nw = integer(s, "ncouls"), integer(s, "ngpown"), integer(s, "nw")
    wtilde, eps = a["wtilde"].reshape(ngpown, ncouls), a["eps"].reshape(ngpown, ncouls)
    aqsn, aqsm = a["aqsn"].reshape(-1, ncouls), a["aqsm"].reshape(-1, ngpown)
    wx = a["wx"].reshape(-1, nw)
    sums = np.zeros(4 * nw)
    for band in range(len(aqsn)):
        product = np.conj(aqsm[band])[:, None] * aqsn[band][None, :] * a["coulomb"][:, None]
        for iw in range(nw):
            sch, ssx = terms(float(wx[band, iw]), wtilde, eps, s)
            ach, asx = np.sum(product * sch), np.sum(product * a["occupation"][band] * ssx)
            sums[4 * iw : 4 * iw + 4] += (ach.real, ach.imag, asx.real, asx.imag)
    return {"sums": sums}


def terms(wx: float, wtilde: Complex, eps: Complex, s: Sizes) -> tuple[Complex, Complex]:
    """Contributions of every pole for one frequency."""
    wdiff = wx - wtilde
    delw = wtilde / wdiff
    first, second = branches(wx, wtilde, s)
    omega = wtilde**2 * eps
    sch = np.where(first, delw * eps, 0.0)
    ssx = np.where(first, omega / (wx**2 - wtilde**2), 0.0)
    ssx = np.where(second, -omega * delw / (4.0 * wtilde**2 * (delw + 0.5)), ssx)
    cut = (np.abs(ssx) > s["cutoff"] * np.abs(eps)) & (wx < 0)
    return sch, np.where(cut, 0.0, ssx)


def branches(wx: float | NDArray[np.float64], wtilde: Complex, s: Sizes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Where the first and where the second formula holds."""
    wdiff = wx - wtilde
    near = np.abs(wtilde / wdiff)
    first = (np.abs(wdiff) > s["limit_two"]) & (near < s["limit_one"])
    return first, ~first & (near > s["tolerance_zero"])
