"""Models in files, one small module per format; each file runs in a process of its own, and none brings code along."""
