"""Contracts that are known to be broken: pattern of test names -> cause. Who mends one deletes its line."""

KNOWN = {
    "test_another_file_changes_nothing*transpose-tiled*": "interval ends move by 5e-16 with the rows of a block",
    "test_less_information_is_never_narrower": "without FLOPs another limit is found, whose interval is narrower",
}
