"""Section 4 of Zhao et al., AISafety 2021: the five rows of its table 1. Run `run.py`."""
