"""How MASA and its rivals see machine learning services change: L. Chen et al. (2022) on stored answers."""
