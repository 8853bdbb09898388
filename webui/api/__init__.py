"""Version 1 of the HTTP interface for programs."""
