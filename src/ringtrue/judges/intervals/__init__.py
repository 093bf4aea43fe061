"""How sure an evaluation from votes alone can be, and how many items that takes."""
