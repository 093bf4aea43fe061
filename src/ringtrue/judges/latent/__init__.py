"""Any number of judges and labels: maximum likelihood on the sketch, and whether it fits."""
