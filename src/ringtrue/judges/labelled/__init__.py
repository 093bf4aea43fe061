"""What a few labels say together with the votes."""
