"""Studies as earlier versions wrote them, and what those versions made of them."""
