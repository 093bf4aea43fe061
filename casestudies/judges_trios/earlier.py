"""What an earlier run of this protocol found, to see whether two programs agree.

It was written apart from this one, with judges of the same six kinds but other settings, one run of each of 300
partitions, 60 panels of ten, and KEEL's copies of mushroom (5,644 complete rows) and twonorm.
"""

VALID = {
    "twonorm": {500: 0.950, 1000: 0.977, 2000: 0.983, 4000: 0.983},
    "adult": {500: 0.453, 1000: 0.490, 2000: 0.587, 4000: 0.653},
    "mushroom": {500: 0.293, 1000: 0.293, 2000: 0.317, 4000: 0.297},
}
"""The share of valid trios, by dataset and test size."""

REJECTED = {
    "twonorm, 2 features each": {
        (4, 500): 0.06,
        (4, 1000): 0.03,
        (4, 4000): 0.08,
        (5, 500): 0.08,
        (5, 1000): 0.03,
        (5, 4000): 0.03,
    },
    "mushroom, 2 each": {
        (4, 500): 0.86,
        (4, 1000): 0.93,
        (4, 4000): 0.99,
        (5, 500): 0.97,
        (5, 1000): 0.99,
        (5, 4000): 1.0,
    },
    "adult, 3 each, overlapping": {
        (4, 500): 0.54,
        (4, 1000): 0.71,
        (4, 4000): 0.93,
        (5, 500): 0.88,
        (5, 1000): 0.98,
        (5, 4000): 1.0,
    },
    "adult, all features": {
        (4, 500): 0.97,
        (4, 1000): 1.0,
        (4, 4000): 1.0,
        (5, 500): 1.0,
        (5, 1000): 1.0,
        (5, 4000): 1.0,
    },
}
"""The share of sub-panels that the fit test refused, by panel, members and test size."""
