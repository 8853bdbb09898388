"""The HTTP interface for programs, version 1."""
