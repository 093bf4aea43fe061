"""Any number of judges and labels: maximum likelihood on the sketch, whether it fits, how sure it is, and planning."""
