"""One machine, live: its page and its socket."""
