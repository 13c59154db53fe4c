"""What texts mean, as vectors: models that make them, and where they are kept. Web processes import only the tables."""
