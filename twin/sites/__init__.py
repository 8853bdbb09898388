"""Sites: the places where machines work, shown on the organisation's plan."""
