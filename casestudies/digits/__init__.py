"""Under which shear and rotation a network misreads digits most: S. Gopakumar et al. (2018), section 4.2."""
