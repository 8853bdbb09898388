"""Methods of closing loops: coordinate partitioning and index-1; the implicit step has the penalty method."""
