"""Nine tasks with errors put in on purpose, and how searches find them: W. Bennette et al. (IJCNN 2020)."""
