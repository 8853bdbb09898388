"""The fleet pages: all machines that a person may see."""
