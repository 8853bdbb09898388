"""Records the energies of a run in a ledger, and computes the energy balance of each element."""
