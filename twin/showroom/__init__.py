"""Demo machines, which show a new organisation a running twin before it has connected a machine."""
