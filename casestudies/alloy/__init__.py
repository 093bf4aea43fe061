"""Where a small network mispredicts the phases of aluminium alloys most: S. Gopakumar et al. (2018), section 4.1."""
