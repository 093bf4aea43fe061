"""Three judges on two labels: the closed form, its exact status, and what correlated errors do to it."""
