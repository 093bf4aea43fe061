"""What you may claim about a model you can only query, with the fewest expensive answers."""
