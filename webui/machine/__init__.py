"""The page of one machine: live values, circuit, gauges, model, and the socket behind it."""
