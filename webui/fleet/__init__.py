"""The fleet: all machines a person may see."""
