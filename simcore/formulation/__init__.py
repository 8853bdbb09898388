"""Ways to close loops: coordinate partitioning here, the penalty form in the implicit step."""
