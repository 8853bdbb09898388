"""Demo machines: a new organisation sees a running twin before it has connected a machine."""
