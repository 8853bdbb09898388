"""Sites: where machines work, on a plan of the organisation."""
