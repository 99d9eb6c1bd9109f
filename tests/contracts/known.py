"""Contracts that are known to be broken: pattern of test names -> cause. Who mends one deletes its line."""

KNOWN = {
    "test_the_base_of_a_sweep_is_the_forecast[*-hybrid]": "a sweep leaves the learned residual out, at its base too",
    "test_nothing_lies_below_the_peaks[*": "lower ends are not bounded by physics",
}
