"""What the votes say without any assumption, by linear programming."""
