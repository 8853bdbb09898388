"""Sites: the places where machines work, on a plan of the organisation."""
